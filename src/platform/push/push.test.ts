import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { startApns, startFcm, startWebPush } from '../../../test/harness/push-services.ts'
import { createApnsSender } from './apns.ts'
import { createFcmSender } from './fcm.ts'
import { describePushServices, readPushServices } from './open-services.ts'
import type { PushMessage, PushOutcome } from './sender.ts'
import { createWebPushSender, generateVapidKeys } from './web-push.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
const closed = <T extends { close(): Promise<void> }>(thing: T): T => {
  cleanups.push(() => thing.close())
  return thing
}

const message: PushMessage = {
  title: 'Ann',
  body: 'Hello ✓',
  badge: 3,
  collapseKey: 'channel:0123456789abcdef01234567',
  data: { channelId: 'c' },
  ttlSeconds: 60,
}
const apnsKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
const apnsOptions = { key: apnsKey, keyId: 'KEY', teamId: 'TEAM', topic: 'app.example' }

describe('APNs', () => {
  async function start() {
    const vendor = closed(await startApns())
    return { vendor, sender: closed(createApnsSender({ ...apnsOptions, url: vendor.url })) }
  }

  it('sends over one connection with a token of its own making', async () => {
    const { vendor, sender } = await start()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => sender.send('device/1', message)))
    expect(outcomes).toEqual(outcomes.map(() => ({ kind: 'sent' })))
    const [{ path, headers, body }] = vendor.taken as [(typeof vendor.taken)[0]]
    expect(path).toBe('/3/device/device%2F1')
    expect(body).toEqual({
      aps: {
        alert: { title: 'Ann', body: 'Hello ✓' },
        badge: 3,
        sound: 'default',
        'thread-id': message.collapseKey,
      },
      channelId: 'c',
    })
    expect(headers).toMatchObject({
      'apns-topic': 'app.example',
      'apns-push-type': 'alert',
      'apns-collapse-id': message.collapseKey,
    })
    const token = headers.authorization!.replace('bearer ', '')
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', kid: 'KEY' })
    expect(decodeJwt(token).iss).toBe('TEAM')
    expect(new Set(vendor.taken.map((push) => push.headers.authorization)).size).toBe(1)
  })

  it.each<[number, string, PushOutcome['kind']]>([
    [410, 'Unregistered', 'gone'],
    [400, 'BadDeviceToken', 'gone'],
    [400, 'DeviceTokenNotForTopic', 'gone'],
    [400, 'BadCollapseId', 'refused'],
    [413, 'PayloadTooLarge', 'refused'],
    [403, 'ExpiredProviderToken', 'retry'],
    [429, 'TooManyRequests', 'retry'],
    [500, 'InternalServerError', 'retry'],
    [503, 'ServiceUnavailable', 'retry'],
  ])('takes %i %s as %s', async (status, reason, kind) => {
    const { vendor, sender } = await start()
    vendor.answer = () => ({ status, body: { reason } })
    expect(await sender.send('device', message)).toEqual({ kind, reason })
  })

  it('connects again after the service went away', async () => {
    const { vendor, sender } = await start()
    expect(await sender.send('device', message)).toEqual({ kind: 'sent' })
    const { port } = new URL(vendor.url)
    await vendor.close()
    cleanups.length = 0
    closed(sender)
    expect((await sender.send('device', message)).kind).toBe('retry')
    closed(await startApns(Number(port)))
    expect(await sender.send('device', message)).toEqual({ kind: 'sent' })
  })
})

describe('FCM', () => {
  async function start() {
    const vendor = closed(await startFcm())
    return { vendor, sender: closed(createFcmSender({ account: vendor.account, url: vendor.url })) }
  }
  const error = (errorCode: string, text = '') => ({ error: { message: text, details: [{ errorCode }] } })

  it('signs in once as the service account, and sends', async () => {
    const { vendor, sender } = await start()
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => sender.send('token', message)))
    expect(outcomes).toEqual(outcomes.map(() => ({ kind: 'sent' })))
    expect(vendor.tokensGiven).toBe(1)
    const [{ path, headers, body }] = vendor.taken as [(typeof vendor.taken)[0]]
    expect(path).toBe('/v1/projects/test/messages:send')
    expect(headers.authorization).toBe('Bearer access-1')
    expect(body.message).toMatchObject({
      token: 'token',
      notification: { title: 'Ann', body: 'Hello ✓' },
      data: { channelId: 'c' },
      android: {
        collapse_key: message.collapseKey,
        ttl: '60s',
        notification: { tag: message.collapseKey, notification_count: 3 },
      },
    })
  })

  it.each<[number, object, PushOutcome['kind']]>([
    [404, error('UNREGISTERED'), 'gone'],
    [403, error('SENDER_ID_MISMATCH'), 'gone'],
    [400, error('INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token'), 'gone'],
    [400, error('INVALID_ARGUMENT', 'Invalid value at android.ttl'), 'refused'],
    [404, {}, 'retry'],
    [401, {}, 'retry'],
    [429, error('QUOTA_EXCEEDED'), 'retry'],
    [503, error('UNAVAILABLE'), 'retry'],
  ])('takes %i %j as %s', async (status, body, kind) => {
    const { vendor, sender } = await start()
    vendor.answer = () => ({ status, body })
    expect((await sender.send('token', message)).kind).toBe(kind)
  })

  it('waits as long as it is told, and signs in anew when it is refused', async () => {
    const { vendor, sender } = await start()
    vendor.answer = () => ({ status: 503, headers: { 'retry-after': '7' } })
    expect(await sender.send('token', message)).toMatchObject({ kind: 'retry', afterMs: 7000 })
    vendor.answer = () => ({ status: 401 })
    await sender.send('token', message)
    vendor.answer = () => ({ status: 200 })
    await sender.send('token', message)
    expect(vendor.taken.at(-1)!.headers.authorization).toBe('Bearer access-2')
  })
})

describe('Web Push', () => {
  const keys = generateVapidKeys()
  async function start(allowPrivate = true) {
    const vendor = closed(await startWebPush())
    const outbound = { allowPrivate, userAgent: 'Test/1', ca: vendor.ca }
    const options = { keys, contact: 'mailto:ops@example.com', outbound }
    return { vendor, sender: closed(createWebPushSender(options)) }
  }

  it('sends what only the browser can read, signed by the network', async () => {
    const { vendor, sender } = await start()
    expect(await sender.send(vendor.token, message)).toEqual({ kind: 'sent' })
    const [{ headers, body }] = vendor.taken as [(typeof vendor.taken)[0]]
    expect(body).toEqual({
      title: 'Ann',
      body: 'Hello ✓',
      badge: 3,
      tag: message.collapseKey,
      data: { channelId: 'c' },
    })
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '60', urgency: 'high' })
    expect(headers.topic).toMatch(/^[\w-]{32}$/)
    const [, token, key] = /^vapid t=(.+), k=(.+)$/.exec(headers.authorization!)!
    expect(key).toBe(keys.publicKey)
    expect(decodeJwt(token!)).toMatchObject({ aud: vendor.url, sub: 'mailto:ops@example.com' })
  })

  it.each<[number, PushOutcome['kind']]>([
    [200, 'sent'],
    [404, 'gone'],
    [410, 'gone'],
    [413, 'refused'],
    [400, 'refused'],
    [429, 'retry'],
    [502, 'retry'],
  ])('takes %i as %s', async (status, kind) => {
    const { vendor, sender } = await start()
    vendor.answer = () => ({ status })
    expect((await sender.send(vendor.token, message)).kind).toBe(kind)
  })

  it('calls no address inside, and drops a key that is none', async () => {
    const { vendor, sender } = await start(false)
    expect((await sender.send(vendor.token, message)).kind).toBe('gone')
    const subscription = JSON.parse(vendor.token) as { keys: { p256dh: string } }
    subscription.keys.p256dh = Buffer.alloc(65, 4).toString('base64url')
    expect((await sender.send(JSON.stringify(subscription), message)).kind).toBe('gone')
    expect(vendor.taken).toEqual([])
  })
})

describe('settings', () => {
  const urls = { HUBBUB_APNS_URL: 'https://apns', HUBBUB_FCM_URL: 'https://fcm', publicUrl: null }
  async function file(text: string) {
    const folder = await mkdtemp(join(tmpdir(), 'hubbub-push-'))
    cleanups.push(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'key'), text)
    return join(folder, 'key')
  }

  it('are off without credentials, and say so', async () => {
    expect(describePushServices(await readPushServices(urls))).toBe(
      'APNs off: HUBBUB_APNS_KEY_FILE is not set; FCM off: HUBBUB_FCM_ACCOUNT_FILE is not set; ' +
        'Web Push off: neither HUBBUB_WEB_PUSH_CONTACT nor an https PUBLIC_URL is set',
    )
    const { web } = await readPushServices({ ...urls, publicUrl: 'https://app.example' })
    expect(web).toEqual({ contact: 'https://app.example' })
  })

  it('name what is missing or wrong', async () => {
    const apns = {
      ...urls,
      HUBBUB_APNS_KEY_FILE: await file(apnsKey),
      HUBBUB_APNS_KEY_ID: 'KEY',
      HUBBUB_APNS_TEAM_ID: 'TEAM',
      HUBBUB_APNS_TOPIC: 'app.example',
    }
    expect(describePushServices(await readPushServices(apns))).toContain('APNs on (app.example)')
    const { HUBBUB_APNS_TOPIC: _, ...partly } = apns
    await expect(readPushServices(partly)).rejects.toThrow('APNs also needs HUBBUB_APNS_TOPIC')
    const other = { ...apns, HUBBUB_APNS_KEY_FILE: await file('no key') }
    await expect(readPushServices(other)).rejects.toThrow('HUBBUB_APNS_KEY_FILE holds no APNs key')
    const fcm = { ...urls, HUBBUB_FCM_ACCOUNT_FILE: await file('{}') }
    await expect(readPushServices(fcm)).rejects.toThrow('the service account has no project_id')
    const none = { ...urls, HUBBUB_FCM_ACCOUNT_FILE: '/nowhere' }
    await expect(readPushServices(none)).rejects.toThrow('HUBBUB_FCM_ACCOUNT_FILE: ENOENT')
  })
})
