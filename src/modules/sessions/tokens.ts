import { createHash } from 'node:crypto'
import { now } from '../../platform/clock.ts'
import type { TokenSigner } from '../../platform/tokens/token-signer.ts'

/** Audiences of our tokens: an access token cannot pass for an auth token, nor the other way round. */
const access = 'access'
const auth = 'auth'

export const accessTokenDays = 30
const authTokenMinutes = 10

export interface AccessClaims {
  sessionId: string
  expiresAt: Date
}

/** An access token. Clients decode it and read `user.publicUserId`, `iat` and `exp`. */
export async function signAccessToken(
  signer: TokenSigner,
  session: { id: string; expiresAt: Date },
  user: { id: string; userId: string },
): Promise<string> {
  return signer.sign(access, {
    sub: user.id,
    sid: session.id,
    user: { userId: user.id, publicUserId: user.userId },
    iat: seconds(now()),
    exp: seconds(session.expiresAt),
  })
}

export async function verifyAccessToken(signer: TokenSigner, token: string): Promise<AccessClaims | null> {
  const claims = await signer.verify(access, token)
  return typeof claims?.sid === 'string'
    ? { sessionId: claims.sid, expiresAt: new Date(claims.exp * 1000) }
    : null
}

/** A short-lived token by which an app's backend vouches for a user at sign-in. */
export async function signAuthToken(signer: TokenSigner, userId: string): Promise<string> {
  const iat = seconds(now())
  return signer.sign(auth, { userId, iat, exp: iat + authTokenMinutes * 60 })
}

/** The user a backend vouched for, or null. */
export async function verifyAuthToken(signer: TokenSigner, token: string): Promise<string | null> {
  const claims = await signer.verify(auth, token)
  return typeof claims?.userId === 'string' ? claims.userId : null
}

/** Only this is stored of a refresh token. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
