import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

export interface PostRow {
  id: string
  parentPostId: string | null
  targetType: string
  targetId: string
  /** The target's id on the wire. */
  targetPublicId: string
  feedId: string
  feedType: string
  postedUserId: string
  postedUserPublicId: string
  dataType: string
  structureType: string
  data: Json
  metadata: Json
  tags: string[]
  hashtags: string[]
  mentionedUserIds: string[]
  mentionedUserPublicIds: string[]
  links: Json
  children: string[]
  attachedTypes: string[]
  productTags: Json
  pinnedProductId: string | null
  reactions: Json
  reactionsCount: number
  commentsCount: number
  flagCount: number
  flaggedCommentsCount: number
  flaggedChildrenCount: number
  hashFlag: Json | null
  sharedCount: number
  impression: number
  reach: number
  isDeleted: boolean
  isErased: boolean
  publishedAt: Date | null
  editedAt: Date
  createdAt: Date
  updatedAt: Date
}

/** Posts by id, also deleted ones; one that was erased keeps an empty row for its last event. */
export async function findPostsById(db: Db, ids: string[]): Promise<PostRow[]> {
  return selectPosts(db).where('posts.id', '=', anyOf(ids)).execute()
}

/** One post, locked against changes by others until the transaction ends. */
export async function lockPost(tx: Tx, id: string): Promise<PostRow | undefined> {
  return selectPosts(tx).where('posts.id', '=', id).forUpdate('posts').executeTakeFirst()
}

export async function insertPosts(tx: Tx, posts: Insertable<DB['posts']>[]): Promise<void> {
  await tx.insertInto('posts').values(posts).execute()
}

export async function updatePost(tx: Tx, id: string, changes: Updateable<DB['posts']>): Promise<void> {
  await tx.updateTable('posts').set(changes).where('id', '=', id).execute()
}

/** Marks posts deleted; answers those that were not. */
export async function markPostsDeleted(tx: Tx, ids: string[], at: Date): Promise<string[]> {
  const rows = await tx
    .updateTable('posts')
    .set({ isDeleted: true, deletedAt: at, updatedAt: at })
    .where('id', '=', anyOf(ids))
    .where('isDeleted', '=', false)
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

function selectPosts(db: Db) {
  return db
    .selectFrom('posts')
    .innerJoin('users as poster', 'poster.id', 'posts.postedUserId')
    .leftJoin('users as target', (join) =>
      join.onRef('target.id', '=', 'posts.targetId').on('posts.targetType', '=', 'user'),
    )
    .selectAll('posts')
    .select([
      'poster.userId as postedUserPublicId',
      sql<string>`coalesce(target.user_id, posts.target_id)`.as('targetPublicId'),
      sql<string[]>`array(
        select mentioned.user_id from unnest(posts.mentioned_user_ids) with ordinality as named (id, place)
        join users mentioned on mentioned.id = named.id order by named.place
      )`.as('mentionedUserPublicIds'),
    ])
}

/** Adds to counters of a post. */
export async function addToPostCounts(
  tx: Tx,
  id: string,
  deltas: { commentsCount?: number; flaggedCommentsCount?: number },
): Promise<void> {
  const { commentsCount = 0, flaggedCommentsCount = 0 } = deltas
  await tx
    .updateTable('posts')
    .set((e) => ({
      commentsCount: e('commentsCount', '+', commentsCount),
      flaggedCommentsCount: e('flaggedCommentsCount', '+', flaggedCommentsCount),
    }))
    .where('id', '=', id)
    .execute()
}
