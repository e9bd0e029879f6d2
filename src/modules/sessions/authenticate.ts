import { lru } from 'tiny-lru'
import { now } from '../../platform/clock.ts'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { everything, isListening, onForget } from '../../kernel/invalidation.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { TokenSigner } from '../../platform/tokens/token-signer.ts'
import { signingKeysTopic } from '../network/index.ts'
import { userRowTopic, viewerTopic } from '../roles/index.ts'
import { findUsersById, viewerOf } from '../users/index.ts'
import { sessionTopic } from './actions.ts'
import { findSession, hasSuccessor, type SessionRow } from './store.ts'
import { verifyAccessToken } from './tokens.ts'

/** A viewer and how long their token is good for. */
export interface SignedIn {
  viewer: Viewer
  expiresAt: Date
}

/** Whether the token comes with a request or opens a connection that outlives renewals. */
export type TokenUse = 'request' | 'connection'

export interface SessionGuard {
  /** The viewer behind a token, or a failure: `unauthorized`, `globallyBanned`. */
  signIn(token: string, use?: TokenUse): Promise<SignedIn>
  close(): void
}

const remembered = 10_000

/**
 * Turns tokens into viewers. Verified tokens are remembered until the session, the user or the roles change: checking
 * a signature and reading three tables on each request would cost more than most requests themselves.
 */
export function createSessionGuard(db: Db, signer: TokenSigner): SessionGuard {
  const cache = lru<SignedIn>(remembered)
  // Counts what was forgotten: a session read before it was revoked and stored after would otherwise stay.
  let forgotten = 0
  const forgetWhere = (matches: (signedIn: SignedIn) => boolean) => {
    forgotten++
    for (const [token, signedIn] of cache.entries()) if (signedIn && matches(signedIn)) cache.delete(token)
  }
  const stops = [
    onForget(sessionTopic, (id) => forgetWhere(({ viewer }) => id === everything || viewer.sessionId === id)),
    onForget(viewerTopic, (id) => forgetWhere(({ viewer }) => id === everything || viewer.id === id)),
    onForget(userRowTopic, (id) => forgetWhere(({ viewer }) => id === everything || viewer.id === id)),
    onForget(signingKeysTopic, () => forgetWhere(() => true)),
  ]
  return {
    async signIn(token, use = 'request') {
      const known = cache.get(token)
      if (known && known.expiresAt > now()) return known
      const before = forgotten
      const claims = await verifyAccessToken(signer, token)
      const session = claims && (await findSession(db, claims.sessionId))
      if (!session || !(await isLive(db, session, use))) return fail('unauthorized')
      const [user] = await findUsersById(db, [session.userId])
      if (!user || user.isDeleted) return fail('unauthorized')
      if (user.isGlobalBan) fail('globallyBanned')
      const viewer = viewerOf(user, session.id)
      const signedIn = { viewer, expiresAt: session.expiresAt }
      if (!session.revokedAt && isListening(db) && forgotten === before) cache.set(token, signedIn)
      return signedIn
    },
    close: () => stops.forEach((stop) => stop()),
  }
}

// After a renewal the clients go on connecting with the token they had, until they next subscribe: a connection may
// stand on a replaced session as long as the device's newer one lives.
async function isLive(db: Db, session: SessionRow, use: TokenUse): Promise<boolean> {
  const at = now()
  if (session.expiresAt <= at) return false
  if (!session.revokedAt) return true
  return use === 'connection' && session.deviceId !== null && hasSuccessor(db, session, at)
}
