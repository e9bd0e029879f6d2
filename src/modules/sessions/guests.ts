import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { now } from '../../platform/clock.ts'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { SignIn } from './actions.ts'
import type { GuestSessionBody } from './schema.ts'
import { countVisitorRead } from './store.ts'

export type GuestKind = 'visitor' | 'bot'

/** The sign-in of somebody without an account: one user for each kind and device, who may only read. */
export function guestSignIn(kind: GuestKind, { deviceId, deviceInfo }: GuestSessionBody): SignIn {
  const digest = createHash('sha256').update(`${kind}:${deviceId}`).digest('hex').slice(0, 32)
  return {
    userId: `${kind}-${digest}`,
    displayName: kind === 'visitor' ? 'Visitor' : 'Bot',
    kind,
    roles: [kind],
    deviceId,
    ...(deviceInfo && { deviceInfo }),
    vouched: false,
  }
}

/**
 * Whether the app's backend lets this device visit: HMAC-SHA256 with a server key over the device id followed by the
 * expiry exactly as sent, in hex or base64, and not expired.
 */
export function isSignedVisit(
  serverKeys: ReadonlySet<string>,
  { deviceId, authSignature, authSignatureExpiresAt }: GuestSessionBody,
): boolean {
  if (authSignature === undefined || authSignatureExpiresAt === undefined) return false
  if (!(new Date(authSignatureExpiresAt) > now())) return false
  const given = Buffer.from(authSignature, /^[0-9a-f]{64}$/i.test(authSignature) ? 'hex' : 'base64')
  return [...serverKeys].some((key) => {
    const expected = createHmac('sha256', key).update(`${deviceId}${authSignatureExpiresAt}`).digest()
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Counts a visitor's request; fails with `visitorQuota` above the daily quota (UTC days; 0 is none). */
export async function spendVisitorRead(db: Db, viewer: Viewer, dailyReads: number): Promise<void> {
  if (dailyReads === 0 || viewer.kind !== 'visitor') return
  const day = now().toISOString().slice(0, 10)
  if ((await countVisitorRead(db, viewer.id, day)) > dailyReads) fail('visitorQuota')
}
