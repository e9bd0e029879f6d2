import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/** What goes with a deleted user. */
export interface DeleteUserOptions {
  /** All of the below, softly. */
  deleteAll: boolean
  markMessageDeleted: boolean
  hardDeletePost: boolean
  hardDeleteComment: boolean
}

/**
 * What another slice does when a user is banned from the network or deleted; the composition root hands these in.
 * Called inside the transaction, with the user's internal id.
 */
export interface UserDeparture {
  banned?(tx: Tx, viewer: Viewer, userId: string): Promise<void>
  deleted?(tx: Tx, viewer: Viewer, userId: string, options: DeleteUserOptions): Promise<void>
}
