import { sql, type Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { joined } from '../../kernel/joined.ts'
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
  const prefix = `${userId}:${type}:`
  const found = await loadNames(
    db,
    ids.map((id) => prefix + id),
  )
  return new Map([...found].map(([key, names]) => [key.slice(prefix.length), names]))
}

// By `user:type:id`, none of which holds a colon.
const loadNames = joined<string[]>(async (db, keys) => {
  const asked = keys.map((key) => key.split(':'))
  const column = (at: number) => asked.map((parts) => parts[at]!)
  const { rows } = await sql<{ key: string; names: string[] }>`
    select asked.user_id || ':' || asked.type || ':' || asked.id as key, array_agg(name order by created_at) as names
    from unnest(${column(0)}::text[], ${column(1)}::text[], ${column(2)}::text[]) as asked (user_id, type, id)
    join reactions on reference_type = asked.type and reference_id = asked.id and reactions.user_id = asked.user_id
    group by 1`.execute(db)
  return new Map(rows.map(({ key, names }) => [key, names]))
})

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
