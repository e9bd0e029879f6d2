import type { Db, Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/** What goes with a deleted user. */
export interface DeleteUserOptions {
  /** All of the below, softly. */
  deleteAll: boolean
  markMessageDeleted: boolean
  hardDeletePost: boolean
  hardDeleteComment: boolean
}

/** How somebody went, and what is to go with them. */
export type Going = { kind: 'banned' } | { kind: 'deleted'; options: DeleteUserOptions }

/** Clearing up after somebody, in as many transactions as it takes. `signal` says when to leave the rest for later. */
export interface ClearContext {
  db: Db
  signal: AbortSignal
}

/**
 * What another slice does when a user is banned from the network or deleted; the composition root hands these in.
 * `banned` and `deleted` are called inside the transaction, with the user's internal id. What may be thousands of
 * changes belongs into `clear`, which is called after it until all is done: it finds by itself what is left, so that it
 * can go on where it stopped.
 */
export interface UserDeparture {
  banned?(tx: Tx, viewer: Viewer, userId: string): Promise<void>
  deleted?(tx: Tx, viewer: Viewer, userId: string, options: DeleteUserOptions): Promise<void>
  /** A visitor or bot who has not come for long is forgotten: what only says that they were here goes before their row. */
  purged?(tx: Tx, userId: string): Promise<void>
  clear?(context: ClearContext, viewer: Viewer, userId: string, going: Going): Promise<void>
}
