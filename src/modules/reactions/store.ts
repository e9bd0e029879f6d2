import type { Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'

export interface ReactionRow {
  id: string
  name: string
  userId: string
  userPublicId: string
  createdAt: Date
}

/** Inserts unless the same user reacted with the same name; answers whether it did. */
export async function insertReaction(tx: Tx, reaction: Insertable<DB['reactions']>): Promise<boolean> {
  const result = await tx
    .insertInto('reactions')
    .values(reaction)
    .onConflict((c) => c.constraint('reactions_once').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

interface Identity {
  referenceType: string
  referenceId: string
  userId: string
  name: string
}

export async function findReaction(db: Db, identity: Identity) {
  return selectReactors(db, identity.referenceType, identity.referenceId)
    .where('reactions.userId', '=', identity.userId)
    .where('reactions.name', '=', identity.name)
    .executeTakeFirst()
}

export async function deleteReaction(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('reactions').where('id', '=', id).execute()
}

export async function queryReactionRows(
  db: Db,
  { type, id, name }: { type: string; id: string; name: string | undefined },
  cursor: Cursor,
): Promise<ReactionRow[]> {
  const named = selectReactors(db, type, id)
  const page = keysetPage(
    name ? named.where('reactions.name', '=', name) : named,
    cursor,
    [
      { column: 'reactions.createdAt', type: 'time' },
      { column: 'reactions.id', type: 'text' },
    ],
    'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}

/** The names one user reacted with, by object. */
export async function findReactionNames(
  db: Db,
  userId: string,
  type: string,
  ids: string[],
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('reactions')
    .select(['referenceId', 'name'])
    .where('referenceType', '=', type)
    .where('referenceId', '=', anyOf(ids))
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .execute()
  const names = new Map<string, string[]>()
  for (const { referenceId, name } of rows) names.set(referenceId, [...(names.get(referenceId) ?? []), name])
  return names
}

export async function deleteReactionsOf(tx: Tx, type: string, ids: string[]): Promise<void> {
  await tx
    .deleteFrom('reactions')
    .where('referenceType', '=', type)
    .where('referenceId', '=', anyOf(ids))
    .execute()
}

function selectReactors(db: Db, type: string, id: string) {
  return db
    .selectFrom('reactions')
    .innerJoin('users', 'users.id', 'reactions.userId')
    .select([
      'reactions.id',
      'reactions.name',
      'reactions.userId',
      'reactions.createdAt',
      'users.userId as userPublicId',
    ])
    .where('reactions.referenceType', '=', type)
    .where('reactions.referenceId', '=', id)
}
