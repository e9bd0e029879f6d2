import type { Db, Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { InvitationTargetType, InvitationType } from './schema.ts'

/** An invitation as its target hears of it; the user by internal id. */
export interface InvitationChange {
  id: string
  targetId: string
  userId: string
}

/**
 * Something people can be invited to. The slice that owns it hands one in, so that invitations know no other slice.
 * Targets are named by the ids clients name them by, people by internal ids.
 */
export interface InvitationTarget {
  type: InvitationType
  targetType: InvitationTargetType
  /** Whether the viewer may see and take back everybody's invitations to it. Fails with `notFound` or `permissionDenied`. */
  requireInviter(db: Db, viewer: Viewer, targetId: string): Promise<void>
  /**
   * Locks it, checks that the viewer may invite these people, and notes that they are invited. Answers those of them
   * whom an invitation would change something for.
   */
  invite(tx: Tx, viewer: Viewer, targetId: string, userIds: string[]): Promise<string[]>
  /** Locks it before an invitation to it is answered or taken back. */
  lock(tx: Tx, targetId: string): Promise<void>
  /** Lets the viewer in, who was invited. */
  accept(tx: Tx, viewer: Viewer, change: InvitationChange): Promise<void>
  /** Notes that an invitation was rejected or taken back. */
  withdraw(tx: Tx, viewer: Viewer, change: InvitationChange, status: 'rejected' | 'cancelled'): Promise<void>
  /** Tells of new invitations, where clients listen for them. */
  tellInvited?(tx: Tx, viewer: Viewer, changes: InvitationChange[]): Promise<void>
}
