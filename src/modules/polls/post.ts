import type { Db } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/**
 * Fails with `notFound` unless the viewer may read a post. Handed in by the composition root: posts name polls, so
 * polls cannot name posts.
 */
export type RequireReadablePost = (db: Db, viewer: Viewer, postId: string) => Promise<unknown>
