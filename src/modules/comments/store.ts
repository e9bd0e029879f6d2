import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import { isBlockBetween } from '../follows/index.ts'

export interface CommentRow {
  id: string
  commentId: string
  referenceType: string
  referenceId: string
  targetType: string
  targetId: string
  targetPublicId: string
  parentId: string | null
  parentPublicId: string | null
  rootId: string
  rootPublicId: string | null
  userId: string
  userPublicId: string
  dataTypes: string[]
  data: Json
  metadata: Json
  attachments: Json
  links: Json
  mentionedUserIds: string[]
  mentionedUserPublicIds: string[]
  /** The newest answers, oldest first: internal and public ids. */
  childIds: string[]
  childPublicIds: string[]
  childrenNumber: number
  segmentNumber: number
  reactions: Json
  reactionsCount: number
  flagCount: number
  hashFlag: Json | null
  isDeleted: boolean
  deletedAt: Date | null
  editedAt: Date
  createdAt: Date
  updatedAt: Date
}

/** How many answers a comment brings along. */
const childPreviews = 5

export async function findCommentsById(db: Db, ids: string[]): Promise<CommentRow[]> {
  return selectComments(db).where('comments.id', '=', anyOf(ids)).execute()
}

/** Internal ids of comments by public ones. */
export async function findCommentIds(db: Db, commentIds: string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('comments')
    .select(['id', 'commentId'])
    .where('commentId', '=', anyOf(commentIds))
    .execute()
  return new Map(rows.map((row) => [row.commentId, row.id]))
}

/** All comments on some objects, living or not, by internal id. */
export async function findCommentIdsOn(
  db: Db,
  referenceType: string,
  referenceIds: string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('comments')
    .select('id')
    .where('referenceType', '=', referenceType)
    .where('referenceId', '=', anyOf(referenceIds))
    .execute()
  return rows.map((row) => row.id)
}

/** A comment and what it is on. */
export interface CommentPlace {
  id: string
  referenceType: string
  referenceId: string
}

/** Some of the comments a user wrote, oldest first: those that live, or all. */
export async function findCommentsBy(
  db: Db,
  userId: string,
  which: 'living' | 'all',
  limit: number,
): Promise<CommentPlace[]> {
  let query = db
    .selectFrom('comments')
    .select(['id', 'referenceType', 'referenceId'])
    .where('userId', '=', userId)
  if (which === 'living') query = query.where('isDeleted', '=', false)
  return query.orderBy('createdAt').limit(limit).execute()
}

/** Where a comment stands, found by what names it. */
export async function findCommentPlace(
  db: Db,
  by: { commentId?: string; segmentNumber?: number; referenceType?: string; referenceId?: string },
) {
  let query = db
    .selectFrom('comments')
    .select([
      'id',
      'commentId',
      'referenceType',
      'referenceId',
      'targetType',
      'userId',
      'createdAt',
      'updatedAt',
    ])
  for (const [column, value] of Object.entries(by)) query = query.where(column as keyof typeof by, '=', value)
  return query.executeTakeFirst()
}

export interface CommentFilter {
  referenceType: string
  referenceId: string
  /** Answers to this one; null for those that answer none, absent for all. Internal id. */
  parentId?: string | null
  isDeleted: boolean | undefined
  hasFlag: boolean | undefined
  dataTypes: string[] | undefined
  matchType: 'any' | 'exact'
  /** How many of a first page to leave out. */
  skip: number
  /** Leaves out who blocked this user or was blocked by them. */
  unblockedFor: string | null
}

export async function queryCommentRows(
  db: Db,
  filter: CommentFilter,
  { column, order }: { column: 'createdAt' | 'updatedAt'; order: 'asc' | 'desc' },
  cursor: Cursor,
): Promise<{ id: string; createdAt: Date; updatedAt: Date }[]> {
  const { parentId, isDeleted, hasFlag, dataTypes, matchType, skip } = filter
  let query = db
    .selectFrom('comments')
    .select(['id', 'createdAt', 'updatedAt'])
    .where('referenceType', '=', filter.referenceType)
    .where('referenceId', '=', filter.referenceId)
  if (parentId === null) query = query.where('parentId', 'is', null)
  else if (parentId !== undefined) query = query.where('parentId', '=', parentId)
  if (isDeleted !== undefined) query = query.where('isDeleted', '=', isDeleted)
  if (hasFlag !== undefined) query = query.where('flagCount', hasFlag ? '>' : '=', 0)
  if (dataTypes) {
    query = query.where(sql<boolean>`data_types && ${dataTypes}::text[]`)
    // The same set: each holds the other.
    if (matchType === 'exact')
      query = query.where(sql<boolean>`data_types @> ${dataTypes} and data_types <@ ${dataTypes}`)
  }
  if (filter.unblockedFor !== null) {
    query = query.where(sql<boolean>`not ${isBlockBetween(filter.unblockedFor, 'comments.user_id')}`)
  }
  if (skip > 0 && cursor.key.length === 0) query = query.offset(skip)
  const columns = [
    { column, type: 'time' },
    { column: 'id', type: 'text' },
  ] as const
  return (keysetPage(query, cursor, [...columns], order) ?? fail('badPageToken')).execute()
}

/** A comment, locked against changes by others until the transaction ends. By its internal id. */
export async function lockComment(tx: Tx, id: string): Promise<CommentRow | undefined> {
  return selectComments(tx).where('comments.id', '=', id).forUpdate('comments').executeTakeFirst()
}

/** A comment and all answers below it, at any depth. */
export async function findThread(tx: Tx, id: string) {
  return tx
    .withRecursive('thread', (below) =>
      below
        .selectFrom('comments')
        .select('comments.id')
        .where('comments.id', '=', id)
        .unionAll(
          below
            .selectFrom('comments')
            .innerJoin('thread', 'thread.id', 'comments.parentId')
            .select('comments.id'),
        ),
    )
    .selectFrom('comments')
    .innerJoin('thread', 'thread.id', 'comments.id')
    .select([
      'comments.id',
      'referenceType',
      'referenceId',
      'targetType',
      'targetId',
      'flagCount',
      'isDeleted',
    ])
    .execute()
}

/** The next segment number under a reference. */
export async function nextSegment(tx: Tx, referenceType: string, referenceId: string): Promise<number> {
  const row = await tx
    .insertInto('commentSegments')
    .values({ referenceType, referenceId, last: 1 })
    .onConflict((c) =>
      c
        .columns(['referenceType', 'referenceId'])
        .doUpdateSet((e) => ({ last: e('commentSegments.last', '+', 1) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  return row.last
}

/** Makes whoever changes comments of a reference that has no row of its own queue up. */
export async function lockSegments(tx: Tx, referenceType: string, referenceId: string): Promise<void> {
  await tx
    .insertInto('commentSegments')
    .values({ referenceType, referenceId, last: 0 })
    .onConflict((c) =>
      c
        .columns(['referenceType', 'referenceId'])
        .doUpdateSet((e) => ({ last: e.ref('commentSegments.last') })),
    )
    .execute()
}

export async function insertComment(tx: Tx, comment: Insertable<DB['comments']>): Promise<void> {
  await tx.insertInto('comments').values(comment).execute()
}

export async function updateComment(tx: Tx, id: string, changes: Updateable<DB['comments']>): Promise<void> {
  await tx.updateTable('comments').set(changes).where('id', '=', id).execute()
}

export async function markCommentsDeleted(tx: Tx, ids: string[], at: Date): Promise<void> {
  await tx
    .updateTable('comments')
    .set({ isDeleted: true, deletedAt: at, updatedAt: at, childrenNumber: 0 })
    .where('id', '=', anyOf(ids))
    .execute()
}

export async function deleteComments(tx: Tx, ids: string[]): Promise<void> {
  await tx.deleteFrom('comments').where('id', '=', anyOf(ids)).execute()
}

export async function adjustChildrenNumber(tx: Tx, id: string, delta: number): Promise<void> {
  await tx
    .updateTable('comments')
    .set((e) => ({ childrenNumber: e('childrenNumber', '+', delta) }))
    .where('id', '=', id)
    .execute()
}

function selectComments(db: Db) {
  return db
    .selectFrom('comments')
    .innerJoin('users as author', 'author.id', 'comments.userId')
    .leftJoin('users as page', (join) =>
      join.onRef('page.id', '=', 'comments.targetId').on('comments.targetType', '=', 'user'),
    )
    .leftJoin('comments as parent', 'parent.id', 'comments.parentId')
    .leftJoin('comments as root', 'root.id', 'comments.rootId')
    .selectAll('comments')
    .select([
      'author.userId as userPublicId',
      'parent.commentId as parentPublicId',
      'root.commentId as rootPublicId',
      sql<string>`coalesce(page.user_id, comments.target_id)`.as('targetPublicId'),
      sql<string[]>`array(
        select mentioned.user_id from unnest(comments.mentioned_user_ids) with ordinality as named (id, place)
        join users mentioned on mentioned.id = named.id order by named.place
      )`.as('mentionedUserPublicIds'),
      newestChildren('id').as('childIds'),
      newestChildren('comment_id').as('childPublicIds'),
    ])
}

function newestChildren(column: 'id' | 'comment_id') {
  return sql<string[]>`array(
    select ${sql.ref(column)} from (
      select id, comment_id, created_at from comments child
      where child.parent_id = comments.id and not child.is_deleted
      order by created_at desc, id desc limit ${sql.lit(childPreviews)}
    ) newest order by created_at, id
  )`
}
