import { inTransaction } from '../../kernel/database.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { UserDeparture } from '../users/index.ts'
import { withdraw } from './actions.ts'
import { findOpenInvitationsTo } from './store.ts'
import type { InvitationTarget } from './target.ts'
import { byType } from './targets.ts'

/** Nobody waits for who is banned or deleted to come: their open invitations are taken back. */
export function createInvitationDeparture(targets: InvitationTarget[]): UserDeparture {
  return {
    async clear({ db, signal }, viewer, userId) {
      for (const invitation of await findOpenInvitationsTo(db, userId)) {
        if (signal.aborted) return
        try {
          await inTransaction(db, (tx) => withdraw(tx, byType(targets), viewer, invitation, 'cancelled'))
        } catch (error) {
          // To what is deleted nobody comes, and an answer may have been quicker.
          if (!(error instanceof ApiError)) throw error
        }
      }
    },
  }
}
