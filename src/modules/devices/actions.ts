import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { resolveUserId } from '../users/index.ts'
import { longestToken, type RegisterBody, type UnregisterBody, type UnregisterQuery } from './schema.ts'
import {
  deleteDevice,
  deleteDevicesOf,
  deleteDevicesOfSession,
  deleteOldDevices,
  upsertDevice,
} from './store.ts'

/** So many devices of one person are kept, the latest. */
const keptDevices = 50

/** Has push notifications for the viewer sent to a device. It is taken from whoever had it before. */
export async function registerDevice(tx: Tx, viewer: Viewer, body: RegisterBody): Promise<void> {
  const { deviceId, platform, token, userId, provider } = body
  if (userId !== viewer.userId) fail('permissionDenied', 'a device is registered by who is signed in on it')
  if (token.length > longestToken[platform]) {
    fail('invalid', `token must not have more than ${longestToken[platform]} characters`)
  }
  if (platform === 'web') requireSubscription(token)
  const at = now()
  await upsertDevice(tx, {
    deviceId,
    userId: viewer.id,
    sessionId: viewer.sessionId,
    platform,
    vendor: vendorOf(platform, provider),
    token,
    createdAt: at,
    updatedAt: at,
  })
  await deleteOldDevices(tx, viewer.id, keptDevices)
}

/**
 * Ends push notifications to a device of the viewer's; without one named, to that of the session. Admins end those of
 * others. Fails with `notFound` when the device named is not registered.
 */
export async function unregisterDevice(
  tx: Tx,
  viewer: Viewer,
  query: UnregisterQuery,
  body: UnregisterBody,
): Promise<void> {
  const userId = query.userId ?? (typeof body.userId === 'string' ? body.userId : viewer.userId)
  const owner = userId === viewer.userId ? viewer.id : await resolveUserId(tx, userId)
  if (owner !== viewer.id && !isAdmin(viewer)) fail('permissionDenied')
  const deviceId = query.deviceId ?? (typeof body.deviceId === 'string' ? body.deviceId : undefined)
  if (deviceId !== undefined) {
    if (!(await deleteDevice(tx, owner, deviceId))) fail('notFound', 'device')
  } else if (owner === viewer.id) await deleteDevicesOfSession(tx, viewer.id, viewer.sessionId)
  else await deleteDevicesOf(tx, owner)
}

function vendorOf(platform: RegisterBody['platform'], provider: string | undefined): string {
  if (platform === 'web') return 'web'
  const isApple = platform === 'ios' && !/^(fcm|firebase)$/i.test(provider ?? '')
  return isApple ? 'apns' : 'fcm'
}

/** What a browser's `PushSubscription` is as JSON. */
function requireSubscription(token: string): void {
  let value: { endpoint?: unknown; keys?: { p256dh?: unknown; auth?: unknown } } | null
  try {
    value = JSON.parse(token) as typeof value
  } catch {
    return fail('invalid', 'token of a browser is its push subscription as JSON')
  }
  const { endpoint, keys } = value ?? {}
  const isWhole =
    typeof endpoint === 'string' &&
    URL.canParse(endpoint) &&
    new URL(endpoint).protocol === 'https:' &&
    isKey(keys?.p256dh, 65) &&
    isKey(keys?.auth, 16)
  if (!isWhole) fail('invalid', 'token of a browser must have an https endpoint, keys.p256dh and keys.auth')
}

function isKey(value: unknown, bytes: number): boolean {
  return typeof value === 'string' && Buffer.from(value, 'base64url').length === bytes
}
