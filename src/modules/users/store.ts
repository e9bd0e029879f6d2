import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { searchText } from '../../platform/database/containing.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import { forget } from '../../kernel/invalidation.ts'
import { fail } from '../../kernel/errors.ts'
import { userRowTopic } from '../roles/index.ts'
import type { QueryUsersQuery } from './schema.ts'

export interface UserRow {
  id: string
  userId: string
  kind: string
  displayName: string | null
  profileHandle: string | null
  description: string
  avatarFileId: string | null
  avatarCustomUrl: string | null
  roles: string[]
  permissions: string[]
  metadata: Json
  tags: string[]
  flagCount: number
  hashFlag: Json | null
  isGlobalBan: boolean
  isBrand: boolean
  isDeleted: boolean
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

// Most people hold no role, and calling the function costs more than the rest of the row.
const rolePermissions = sql<
  string[]
>`case when users.roles = '{}' then '{}' else role_permissions(users.roles) end`.as('permissions')

export async function findUsersById(db: Db, ids: string[]): Promise<UserRow[]> {
  return db.selectFrom('users').selectAll().select(rolePermissions).where('id', '=', anyOf(ids)).execute()
}

export async function findUserByPublicId(db: Db, userId: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .select(rolePermissions)
    .where('userId', '=', userId)
    .executeTakeFirst()
}

/** One user by public id, locked against changes by others until the transaction ends. */
export async function lockUser(tx: Tx, userId: string): Promise<UserRow | undefined> {
  return tx
    .selectFrom('users')
    .selectAll()
    .select(rolePermissions)
    .where('userId', '=', userId)
    .forUpdate()
    .executeTakeFirst()
}

/** Who the public ids stand for, in no order; unknown ones are left out. */
export async function findUsersByPublicId(db: Db, userIds: string[]) {
  return db
    .selectFrom('users')
    .select(['id', 'userId', 'isDeleted'])
    .where('userId', '=', anyOf(userIds))
    .execute()
}

/** Internal ids of public ones, in the order asked; unknown ones are left out. */
export async function findInternalIds(db: Db, userIds: string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('users')
    .select(['id', 'userId'])
    .where('userId', '=', anyOf(userIds))
    .execute()
  const byPublicId = new Map(rows.map((row) => [row.userId, row.id]))
  return userIds.flatMap((userId) => byPublicId.get(userId) ?? [])
}

/** Inserts unless the public id is taken; answers whether it did. */
export async function insertUser(tx: Tx, user: Insertable<DB['users']>): Promise<boolean> {
  const result = await tx
    .insertInto('users')
    .values(user)
    .onConflict((c) => c.column('userId').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function updateUserRow(tx: Tx, id: string, changes: Updateable<DB['users']>): Promise<void> {
  await forget(tx, userRowTopic, id)
  await tx.updateTable('users').set(changes).where('id', '=', id).execute()
}

/** Some visitors and bots who are older than a time and have no session, in no particular order. Internal ids. */
export async function findIdleGuests(db: Db, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`kind <> 'signed-in'`)
    .where('createdAt', '<', before)
    .where(hasNoSession)
    .orderBy(sql`random()`)
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Whether a user has no session, locked so that they get none until `tx` ends. */
export async function isIdle(tx: Tx, id: string): Promise<boolean> {
  await tx.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute()
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where(hasNoSession)
    .executeTakeFirst()
  return row !== undefined
}

const hasNoSession = sql<boolean>`not exists (select from sessions where sessions.user_id = users.id)`

export async function deleteUserRow(tx: Tx, id: string): Promise<void> {
  await forget(tx, userRowTopic, id)
  await tx.deleteFrom('users').where('id', '=', id).execute()
}

/** A page of people. Visitors and bots are not listed. */
export async function queryUserRows(db: Db, query: QueryUsersQuery, cursor: Cursor) {
  const sortByName = query.sortBy === 'displayName' || query.sortBy === undefined
  const name = sql<string>`lower(coalesce(display_name, user_id))`
  let rows = db
    .selectFrom('users')
    .select(['id', 'createdAt', name.as('name')])
    .where('kind', '=', 'signed-in')
  rows = rows.where('isDeleted', '=', query.isDeleted)
  if (query.filter === 'flagged') rows = rows.where('flagCount', '>', 0)
  const keyword = query.keyword ?? query.displayName
  if (keyword) {
    const escaped = searchText(keyword)
    const pattern = query.exactMatchKeyword
      ? escaped
      : query.matchType === 'partial'
        ? `%${escaped}%`
        : `${escaped}%`
    rows = rows.where((e) =>
      e.or([
        e(sql`search_text(display_name)`, 'like', pattern),
        e(sql`search_text(user_id)`, 'like', pattern),
        e(sql`search_text(profile_handle)`, 'like', pattern),
      ]),
    )
  }
  const listed = db.selectFrom(rows.as('listed')).selectAll()
  const page = sortByName
    ? keysetPage(
        listed,
        cursor,
        [
          { column: 'name', type: 'text' },
          { column: 'id', type: 'text' },
        ],
        'asc',
      )
    : keysetPage(
        listed,
        cursor,
        [
          { column: 'createdAt', type: 'time' },
          { column: 'id', type: 'text' },
        ],
        query.sortBy === 'firstCreated' ? 'asc' : 'desc',
      )
  return (page ?? fail('badPageToken')).execute()
}
