import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
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

export type Purpose = 'look' | 'takePart'

/** What can be commented on. Slices hand theirs to the composition root, so that comments know none of them. */
export interface CommentTarget {
  type: 'post' | 'content' | 'story'
  /**
   * The object, when the viewer may see it and it is not deleted; fails with `notFound` otherwise. Whoever wants to
   * take part (to comment, to edit, to react) must be allowed that too.
   */
  resolve(db: Db, viewer: Viewer, referenceId: string, purpose: Purpose): Promise<CommentReference>
  /**
   * Locks the object, checked as by `resolve`. Comments are locked after it, so that all changes below one object queue up in one order.
   */
  lock(tx: Tx, viewer: Viewer, referenceId: string, purpose: Purpose): Promise<CommentReference>
  /** Those among some objects that `resolve` would answer. The number of queries does not grow with theirs. */
  findReadable(db: Db, viewer: Viewer, ids: string[]): Promise<Set<string>>
  /** Comments came or went. */
  adjustCommentsCount(tx: Tx, id: string, delta: number): Promise<void>
  /** Comments became flagged, or no longer are. */
  adjustFlaggedCommentsCount(tx: Tx, id: string, delta: number): Promise<void>
}

/** The target of a type; fails with `badRequest` where nothing of the type can be commented on. */
export function targetOf(targets: CommentTarget[], type: string): CommentTarget {
  return targets.find((target) => target.type === type) ?? fail('badRequest', `nothing comments on ${type}`)
}
