import { afterAll, beforeAll, expect, it } from 'vitest'
import { ok, refusal } from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob] = await Promise.all([server.as('alice'), server.as('bob')])
})
afterAll(() => server.close())

const path = '/v1/notification'
const phone = { deviceId: 'phone', platform: 'android', token: 'token-1', userId: 'alice' }
const subscription = {
  endpoint: 'https://push.example/abc',
  keys: {
    p256dh: Buffer.alloc(65, 4).toString('base64url'),
    auth: Buffer.alloc(16, 1).toString('base64url'),
  },
}
const devices = () =>
  server.app.db
    .selectFrom('devices')
    .select(['deviceId', 'userId', 'vendor', 'token'])
    .orderBy('deviceId')
    .execute()
const forget = () => server.app.db.deleteFrom('devices').execute()

it('registers, renews and ends the device of a person', async () => {
  expect(ok(await alice.post(path, phone))).toEqual({ status: 'success', data: {} })
  ok(await alice.post(path, { ...phone, token: 'token-2' }))
  expect(await devices()).toEqual([{ deviceId: 'phone', userId: alice.id, vendor: 'fcm', token: 'token-2' }])
  expect(refusal(await bob.delete(path, { deviceId: 'phone' }))).toEqual([404, 400400])
  expect(ok(await alice.delete(path, { deviceId: 'phone' }))).toEqual({ status: 'success', data: {} })
  expect(refusal(await alice.delete(`${path}?deviceId=phone`))).toEqual([404, 400400])
})

it('moves a device, and a token, to whoever registered last', async () => {
  ok(await alice.post(path, phone))
  ok(await bob.post(path, { ...phone, userId: 'bob' }))
  expect((await devices()).map(({ userId }) => userId)).toEqual([bob.id])
  ok(await alice.post(path, { ...phone, deviceId: 'reinstalled' }))
  expect(await devices()).toMatchObject([{ deviceId: 'reinstalled', userId: alice.id }])
  await Promise.all(
    [alice, bob].flatMap((client) =>
      Array.from({ length: 5 }, () => client.post(path, { ...phone, userId: client.userId })),
    ),
  )
  expect(await devices()).toHaveLength(1)
  await forget()
})

it('ends the device of the session for a client that names none', async () => {
  ok(await alice.post(path, phone))
  ok(await bob.post(path, { ...phone, deviceId: 'other', token: 'other', userId: 'bob' }))
  ok(await alice.delete(path, { deviceId: {} }))
  expect((await devices()).map(({ deviceId }) => deviceId)).toEqual(['other'])
  ok(await alice.delete(path))
  expect(refusal(await alice.delete(`${path}?userId=bob`))).toEqual([403, 400301])
  ok(await (await server.asAdmin()).delete(`${path}?userId=bob`))
  expect(await devices()).toEqual([])
})

it.each([
  ['ios', undefined, 'apns'],
  ['ios', 'fcm', 'fcm'],
  ['ios', 'Firebase', 'fcm'],
  ['ios', 'apns', 'apns'],
  ['android', undefined, 'fcm'],
])('sends to %s with provider %s by %s', async (platform, provider, vendor) => {
  ok(await alice.post(path, { ...phone, platform, provider }))
  expect(await devices()).toMatchObject([{ vendor }])
})

it('takes the push subscription of a browser', async () => {
  const web = { ...phone, platform: 'web', token: JSON.stringify(subscription) }
  ok(await alice.post(path, web))
  expect(await devices()).toMatchObject([{ vendor: 'web' }])
  for (const token of [
    'text',
    'null',
    JSON.stringify({ ...subscription, endpoint: 'http://push.example/abc' }),
    JSON.stringify({ ...subscription, keys: { ...subscription.keys, auth: 'AAAA' } }),
    JSON.stringify({ endpoint: subscription.endpoint }),
  ]) {
    expect(refusal(await alice.post(path, { ...web, token }))).toEqual([422, 500000])
  }
  await forget()
})

it.each([
  [{ deviceId: 'd'.repeat(150) }, 200],
  [{ deviceId: 'd'.repeat(151) }, 422],
  [{ deviceId: '' }, 422],
  [{ token: 't'.repeat(1000) }, 200],
  [{ token: 't'.repeat(1001) }, 422],
  [{ token: '' }, 422],
  [{ platform: 'toaster' }, 422],
  [{ userId: 'bob' }, 403],
  [{ userId: undefined }, 422],
])('answers %j with %i', async (change, status) => {
  expect((await alice.post(path, { ...phone, ...change })).status).toBe(status)
})

it('keeps the fifty latest devices of a person, and none of who is banned', async () => {
  const carol = await server.as('carol')
  for (let i = 0; i < 52; i++) {
    ok(await carol.post(path, { ...phone, deviceId: `c${i}`, token: `c${i}`, userId: 'carol' }))
  }
  const own = async () => (await devices()).filter(({ userId }) => userId === carol.id)
  expect(await own()).toHaveLength(50)
  ok(await (await server.asAdmin()).post('/api/v2/users/ban', { userId: 'carol' }))
  expect(await own()).toEqual([])
})
