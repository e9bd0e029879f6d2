import { now } from '../../platform/clock.ts'
import { newId, newSecret } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { forget } from '../../kernel/invalidation.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { TokenSigner } from '../../platform/tokens/token-signer.ts'
import type { CreateSessionBody } from './schema.ts'
import { findSessionByRefreshHash, insertSession, lockDevice, revokeSessions } from './store.ts'
import { accessTokenDays, hashRefreshToken, signAccessToken } from './tokens.ts'
import { ensureUser, findUsersById, type UserRow } from '../users/index.ts'

/** The cache topic under which viewers are remembered, by session id. */
export const sessionTopic = 'session'

export interface OpenedSession {
  user: UserRow
  accessToken: string
  refreshToken: string
  issuedAt: Date
  expiresAt: Date
}

export interface SessionPolicy {
  signer: TokenSigner
  /**
   * Whether holders of network roles may sign in on a client's word alone: only on a server that nobody but this
   * machine can reach (docs/decisions/sign-in.md).
   */
  trustsClients: boolean
}

export interface SignIn extends Pick<CreateSessionBody, 'userId' | 'displayName' | 'deviceInfo'> {
  deviceId?: string
  kind?: Viewer['kind']
  roles?: string[]
  days?: number
  /** The app's backend (or the operator) says that this is who they claim to be. */
  vouched: boolean
}

/** Signs a user in, making them on their first visit. A new session on a device ends the one that was there. */
export async function createSession(
  tx: Tx,
  { signer, trustsClients }: SessionPolicy,
  signIn: SignIn,
): Promise<OpenedSession> {
  // Of two sign-ins on one device at the same time, the later must see the earlier.
  if (signIn.deviceId !== undefined) await lockDevice(tx, signIn.deviceId)
  const user = await ensureUser(tx, signIn)
  if (user.isGlobalBan) fail('globallyBanned')
  if (user.isDeleted) fail('forbidden', 'the user is deleted')
  if (user.kind !== (signIn.kind ?? 'signed-in')) fail('forbidden', 'this id belongs to another kind of user')
  if (holdsPower(user) && !signIn.vouched && !trustsClients)
    fail('badAuthToken', 'this user holds a network role')
  if (signIn.deviceId !== undefined) await endSessions(tx, { deviceId: signIn.deviceId })
  return openSession(tx, signer, user, signIn)
}

/** A new access token for whoever holds the refresh token, which is used up and replaced. */
export async function refreshSession(
  tx: Tx,
  signer: TokenSigner,
  refreshToken: string,
): Promise<OpenedSession> {
  const old = await findSessionByRefreshHash(tx, hashRefreshToken(refreshToken))
  if (!old || old.revokedAt || old.expiresAt <= now()) return fail('unauthorized')
  const [user] = await findUsersById(tx, [old.userId])
  if (!user || user.isDeleted) return fail('unauthorized')
  if (user.isGlobalBan) fail('globallyBanned')
  await endSessions(tx, { id: old.id })
  return openSession(tx, signer, user, old.deviceId ? { deviceId: old.deviceId } : {})
}

/** Ends sessions; their tokens are refused from now on, on every node. */
export async function endSessions(tx: Tx, which: Parameters<typeof revokeSessions>[1]): Promise<number> {
  const ended = await revokeSessions(tx, which, now())
  for (const { id } of ended) await forget(tx, sessionTopic, id)
  return ended.length
}

function holdsPower({ roles, permissions }: UserRow): boolean {
  return permissions.length > 0 || roles.includes('global-admin')
}

async function openSession(
  tx: Tx,
  signer: TokenSigner,
  user: UserRow,
  signIn: Pick<SignIn, 'deviceId' | 'deviceInfo' | 'days'>,
): Promise<OpenedSession> {
  const issuedAt = now()
  const expiresAt = new Date(issuedAt.getTime() + (signIn.days ?? accessTokenDays) * 86_400_000)
  const refreshToken = newSecret()
  const session = { id: newId(), expiresAt }
  await insertSession(tx, {
    ...session,
    userId: user.id,
    deviceId: signIn.deviceId ?? null,
    deviceInfo: JSON.stringify(signIn.deviceInfo ?? {}),
    refreshHash: hashRefreshToken(refreshToken),
    createdAt: issuedAt,
  })
  return {
    user,
    accessToken: await signAccessToken(signer, session, user),
    refreshToken,
    issuedAt,
    expiresAt,
  }
}
