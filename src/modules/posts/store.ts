import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { newestComments } from '../comments/index.ts'

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
  /** The newest comments at its top, newest first: internal and public ids. */
  commentIds: string[]
  commentPublicIds: string[]
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

/** One post, locked against changes by others until the transaction ends. Parents are locked before children. */
export async function lockPost(tx: Tx, id: string): Promise<PostRow | undefined> {
  return selectPosts(tx).where('posts.id', '=', id).forNoKeyUpdate('posts').executeTakeFirst()
}

/** Some of the posts a user wrote, without what is attached to them: those that live, or all that say something still. */
export async function findPostIdsBy(
  db: Db,
  userId: string,
  which: 'living' | 'notErased',
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('posts')
    .select('id')
    .where('postedUserId', '=', userId)
    .where('parentPostId', 'is', null)
    .where(which === 'living' ? 'isDeleted' : 'isErased', '=', false)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** The parent of a post, if it has one. Never changes. */
export async function findParentId(db: Db, id: string): Promise<string | null> {
  const row = await db.selectFrom('posts').select('parentPostId').where('id', '=', id).executeTakeFirst()
  return row?.parentPostId ?? null
}

export async function insertPosts(tx: Tx, posts: Insertable<DB['posts']>[]): Promise<void> {
  if (posts.length > 0) await tx.insertInto('posts').values(posts).execute()
}

export async function updatePost(tx: Tx, id: string, changes: Updateable<DB['posts']>): Promise<void> {
  await tx.updateTable('posts').set(changes).where('id', '=', id).execute()
}

export async function updatePosts(tx: Tx, ids: string[], changes: Updateable<DB['posts']>): Promise<void> {
  await tx.updateTable('posts').set(changes).where('id', '=', anyOf(ids)).execute()
}

/** What a post that was just deleted had been counted for. */
export interface DeletedPost {
  id: string
  flagCount: number
  flaggedCommentsCount: number
}

/** Marks posts deleted; answers those that were not. */
export async function markPostsDeleted(tx: Tx, ids: string[], at: Date): Promise<DeletedPost[]> {
  return tx
    .updateTable('posts')
    .set({ isDeleted: true, deletedAt: at, updatedAt: at })
    .where('id', '=', anyOf(ids))
    .where('isDeleted', '=', false)
    .returning(['id', 'flagCount', 'flaggedCommentsCount'])
    .execute()
}

/** Takes out of deleted posts all that anybody wrote. */
export async function erasePosts(tx: Tx, ids: string[], at: Date): Promise<void> {
  await tx
    .updateTable('posts')
    .set({
      isErased: true,
      data: '{}',
      metadata: '{}',
      tags: [],
      hashtags: [],
      mentionedUserIds: [],
      links: '[]',
      productTags: '[]',
      pinnedProductId: null,
      reactions: '{}',
      reactionsCount: 0,
      commentsCount: 0,
      flaggedCommentsCount: 0,
      flaggedChildrenCount: 0,
      flagCount: 0,
      hashFlag: null,
      updatedAt: at,
    })
    .where('id', '=', anyOf(ids))
    .execute()
  await tx.deleteFrom('postVersions').where('postId', '=', anyOf(ids)).execute()
}

/** What is attached to a post, living or not. */
export async function findChildIds(db: Db, parentId: string): Promise<string[]> {
  const rows = await db.selectFrom('posts').select('id').where('parentPostId', '=', parentId).execute()
  return rows.map((row) => row.id)
}

/** Adds to counters of a post. */
export async function addToPostCounts(
  tx: Tx,
  id: string,
  deltas: { commentsCount?: number; flaggedCommentsCount?: number; flaggedChildrenCount?: number },
): Promise<void> {
  const { commentsCount = 0, flaggedCommentsCount = 0, flaggedChildrenCount = 0 } = deltas
  await tx
    .updateTable('posts')
    .set((e) => ({
      commentsCount: e('commentsCount', '+', commentsCount),
      flaggedCommentsCount: e('flaggedCommentsCount', '+', flaggedCommentsCount),
      flaggedChildrenCount: e('flaggedChildrenCount', '+', flaggedChildrenCount),
    }))
    .where('id', '=', id)
    .execute()
}

/** Posts that were looked at: how often more, and by how many people for the first time. */
export interface ViewedPost {
  id: string
  impression: number
  reach: number
}

export async function addToPostViews(tx: Tx, viewed: ViewedPost[]): Promise<void> {
  const ids = viewed.map(({ id }) => id)
  // In one order, so that two who look at the same posts do not wait for one another.
  await tx
    .selectFrom('posts')
    .select('id')
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await sql`
    update posts set impression = posts.impression + viewed.impression, reach = posts.reach + viewed.reach
    from unnest(${ids}::text[], ${viewed.map((post) => post.impression)}::int[], ${viewed.map((post) => post.reach)}::int[])
      as viewed (id, impression, reach)
    where posts.id = viewed.id
  `.execute(tx)
}

/** Deletes the hashtags of a post, and writes those it has now. `hashtags` are keys, without repetition. */
export async function replaceHashtags(
  tx: Tx,
  post: { id: string; createdAt: Date },
  hashtags: string[],
): Promise<void> {
  await tx.deleteFrom('postHashtags').where('postId', '=', post.id).execute()
  if (hashtags.length === 0) return
  await tx
    .insertInto('postHashtags')
    .values(hashtags.map((hashtag) => ({ hashtag, createdAt: post.createdAt, postId: post.id })))
    .execute()
}

/** Members who decide about posts that wait in a community, by internal user id. */
export async function findReviewerIds(db: Db, communityId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('communityMembers')
    .select('userId')
    .where('communityId', '=', communityId)
    .where('membership', '=', 'member')
    .where(sql<boolean>`roles <> '{}' and 'REVIEW_COMMUNITY_POST' = any (role_permissions(roles))`)
    .limit(100)
    .execute()
  return rows.map((row) => row.userId)
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
      newestComments('post', 'posts', 'id').as('commentIds'),
      newestComments('post', 'posts', 'comment_id').as('commentPublicIds'),
    ])
}
