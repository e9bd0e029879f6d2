import { sql, type Insertable, type Selectable } from 'kysely'
import type { DB } from '../../../../db/tables.ts'
import type { Db, Tx } from '../../../kernel/database.ts'
import { anyOf } from '../../../platform/database/any-of.ts'
import type { Placement } from './schema.ts'

/** A pin with the public id of who pinned. */
export interface PinRow extends Selectable<DB['pinnedPosts']> {
  pinnedByPublicId: string
}

export type PinTargetRow = Selectable<DB['pinTargets']>

/** The id of a pin in envelopes. */
export function pinId(pin: { targetId: string; placement: string; postId: string }): string {
  return `${pin.targetId}:${pin.placement}:${pin.postId}`
}

export async function findPinsById(db: Db, ids: string[]): Promise<Map<string, PinRow>> {
  const keys = ids.map((id) => id.split(':') as [string, string, string])
  const rows = await db
    .selectFrom('pinnedPosts')
    .innerJoin('users', 'users.id', 'pinnedPosts.pinnedBy')
    .selectAll('pinnedPosts')
    .select('users.userId as pinnedByPublicId')
    .where(
      sql<boolean>`(pinned_posts.target_id, pinned_posts.placement, pinned_posts.post_id) in (
        select * from unnest(
          ${keys.map(([targetId]) => targetId)}::text[],
          ${keys.map(([, placement]) => placement)}::text[],
          ${keys.map(([, , postId]) => postId)}::text[]))`,
    )
    .execute()
  return new Map(rows.map((row) => [pinId(row), row]))
}

/** The pins of a target in one placement or in all, by the time they were pinned. */
export async function findPins(
  db: Db,
  { targetId, placement }: { targetId: string; placement?: Placement | undefined },
  order: 'asc' | 'desc',
): Promise<{ targetId: string; placement: string; postId: string }[]> {
  let pins = db
    .selectFrom('pinnedPosts')
    .select(['targetId', 'placement', 'postId'])
    .where('targetId', '=', targetId)
    .orderBy('pinnedAt', order)
    .orderBy('postId', order)
  if (placement) pins = pins.where('placement', '=', placement)
  return pins.execute()
}

export async function findPinTargetsById(db: Db, ids: string[]): Promise<PinTargetRow[]> {
  return db.selectFrom('pinTargets').selectAll().where('targetId', '=', anyOf(ids)).execute()
}

/** Notes that the pins of a target change now, and keeps others from changing them until `tx` ends. */
export async function touchPinTarget(tx: Tx, target: Insertable<DB['pinTargets']>): Promise<void> {
  await tx
    .insertInto('pinTargets')
    .values(target)
    .onConflict((c) =>
      c.column('targetId').doUpdateSet((e) => ({ lastPinsUpdatedAt: e.ref('excluded.lastPinsUpdatedAt') })),
    )
    .execute()
}

/** How many posts a target pins, in all its placements. */
export async function countPins(db: Db, targetId: string): Promise<number> {
  const { pins } = await db
    .selectFrom('pinnedPosts')
    .select((e) => e.fn.countAll<number>().as('pins'))
    .where('targetId', '=', targetId)
    .executeTakeFirstOrThrow()
  return pins
}

/** Pins unless it is pinned there already; answers whether it did. */
export async function insertPin(tx: Tx, pin: Insertable<DB['pinnedPosts']>): Promise<boolean> {
  const result = await tx
    .insertInto('pinnedPosts')
    .values(pin)
    .onConflict((c) => c.columns(['targetId', 'placement', 'postId']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export interface PinFilter {
  targetId: string
  placement?: Placement | undefined
  postId?: string | undefined
}

/** Unpins; answers how many pins there were. */
export async function deletePins(tx: Tx, { targetId, placement, postId }: PinFilter): Promise<number> {
  let pins = tx.deleteFrom('pinnedPosts').where('targetId', '=', targetId)
  if (placement) pins = pins.where('placement', '=', placement)
  if (postId) pins = pins.where('postId', '=', postId)
  return Number((await pins.executeTakeFirst()).numDeletedRows)
}

/** Unpins a post everywhere; answers the targets it was pinned by. */
export async function deletePinsOf(tx: Tx, postId: string): Promise<PinTargetKey[]> {
  return tx
    .deleteFrom('pinnedPosts')
    .where('postId', '=', postId)
    .returning(['targetId', 'targetType'])
    .execute()
}
export type PinTargetKey = Pick<PinTargetRow, 'targetId' | 'targetType'>
