import type { Db, Tx } from '../../kernel/database.ts'
import type { PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/** An object that can be commented on, as comments need to know it. */
export interface CommentReference {
  /** Internal id. */
  id: string
  targetType: 'user' | 'community' | 'content'
  /** Internal id. */
  targetId: string
  /** The viewer's membership of the community it is in, if it is in one. */
  membership: PermissionHolder | undefined
}

/** What can be commented on. Slices hand theirs to the composition root, so that comments know none of them. */
export interface CommentTarget {
  type: 'post' | 'content' | 'story'
  /** The object, when the viewer may see it; fails with `notFound` otherwise. */
  resolve(db: Db, viewer: Viewer, referenceId: string): Promise<CommentReference>
  /** Locks the object and checks that the viewer may comment on it. */
  lock(tx: Tx, viewer: Viewer, referenceId: string): Promise<CommentReference>
  /** Comments came or went. */
  adjustCommentsCount(tx: Tx, id: string, delta: number): Promise<void>
  /** Comments became flagged, or no longer are. */
  adjustFlaggedCommentsCount(tx: Tx, id: string, delta: number): Promise<void>
}
