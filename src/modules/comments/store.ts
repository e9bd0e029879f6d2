import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

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

/** Locks a comment by its public id. */
export async function lockComment(tx: Tx, commentId: string): Promise<CommentRow | undefined> {
  const locked = await tx
    .selectFrom('comments')
    .select('id')
    .where('commentId', '=', commentId)
    .forUpdate()
    .executeTakeFirst()
  return locked && selectComments(tx).where('comments.id', '=', locked.id).executeTakeFirst()
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

export async function insertComment(tx: Tx, comment: Insertable<DB['comments']>): Promise<void> {
  await tx.insertInto('comments').values(comment).execute()
}

export async function updateComment(tx: Tx, id: string, changes: Updateable<DB['comments']>): Promise<void> {
  await tx.updateTable('comments').set(changes).where('id', '=', id).execute()
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
