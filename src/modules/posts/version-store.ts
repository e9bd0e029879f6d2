import { sql, type Selectable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import type { PostRow } from './store.ts'

/** A version of a post, with the public id of who replaced it. */
export interface PostVersionRow extends Selectable<DB['postVersions']> {
  editorPublicId: string
}

/** How many former versions of a post are kept. */
const keptVersions = 10

/** Keeps what a post said until now; the oldest version goes when there are too many. The post is locked. */
export async function insertVersion(tx: Tx, post: PostRow, editedBy: string, editedAt: Date): Promise<void> {
  const { version } = await tx
    .insertInto('postVersions')
    .values({
      postId: post.id,
      version: sql<number>`(select coalesce(max(version), 0) + 1 from post_versions where post_id = ${post.id})`,
      data: JSON.stringify(post.data),
      metadata: JSON.stringify(post.metadata),
      tags: post.tags,
      hashtags: post.hashtags,
      mentionedUserIds: post.mentionedUserIds,
      links: JSON.stringify(post.links),
      children: post.children,
      editedBy,
      editedAt,
    })
    .returning('version')
    .executeTakeFirstOrThrow()
  await tx
    .deleteFrom('postVersions')
    .where('postId', '=', post.id)
    .where('version', '<=', version - keptVersions)
    .execute()
}

/** The kept versions of a post, newest first. */
export async function findVersions(db: Db, postId: string): Promise<PostVersionRow[]> {
  return db
    .selectFrom('postVersions')
    .innerJoin('users', 'users.id', 'postVersions.editedBy')
    .selectAll('postVersions')
    .select('users.userId as editorPublicId')
    .where('postVersions.postId', '=', postId)
    .orderBy('postVersions.version', 'desc')
    .execute()
}
