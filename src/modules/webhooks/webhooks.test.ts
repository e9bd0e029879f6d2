import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/harness/eventually.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import {
  startWebhookReceiver,
  verifyWebhook,
  type WebhookReceiver,
} from '../../../test/harness/webhook-receiver.ts'

const path = '/api/v1/webhooks'
const url = 'https://hooks.example.org/base/'

let server: TestServer
let admin: TestClient
let alice: TestClient
beforeAll(async () => {
  server = await startTestServer({ HUBBUB_WEBHOOK_ALLOW_PRIVATE: 'true' })
  admin = await server.asAdmin()
  alice = await server.as('alice')
})
afterAll(() => server.close())

async function register(body: Record<string, unknown> = {}) {
  const { status, body: answer } = await admin.post(path, { url, events: ['*'], ...body })
  expect([status, answer.code]).toEqual([200, undefined])
  return answer.webhooks[0]
}

describe('endpoints', () => {
  it('are registered, read, changed and deleted; the secret is shown once', async () => {
    const made = await register({ events: ['channel.didUpdate'], description: 'CRM' })
    const { secret, ...shown } = made
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).toEqual({
      webhookId: expect.stringMatching(/^[0-9a-f]{24}$/),
      url,
      events: ['channel.didUpdate'],
      description: 'CRM',
      previousSecretExpiresAt: null,
      defaultAction: 'allow',
      prehookTimeoutMs: 3000,
      isEnabled: true,
      disabledReason: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const one = `${path}/${made.webhookId}`
    expect((await admin.get(one)).body).toEqual({ webhooks: [shown] })
    expect((await admin.get(path)).body.webhooks).toContainEqual(shown)

    const changes = { url: 'https://b.example.org', events: ['*', '*'], description: '', defaultAction: 'deny', prehookTimeoutMs: 100 } // prettier-ignore
    const changed = (await admin.put(one, changes)).body.webhooks[0]
    expect(changed).toMatchObject({ ...changes, events: ['*'] })
    expect(changed).not.toHaveProperty('secret')

    expect((await admin.post(`${one}/disable`)).body.webhooks[0].isEnabled).toBe(false)
    expect((await admin.post(`${one}/enable`)).body.webhooks[0].isEnabled).toBe(true)

    expect((await admin.delete(one)).body).toEqual({ success: true })
    for (const gone of [admin.get(one), admin.delete(one), admin.put(one, {}), admin.post(`${one}/enable`)])
      expect((await gone).body.code).toBe(400400)
  })

  it('rotate their secret, the former one valid for a while', async () => {
    const { webhookId, secret } = await register()
    const rotate = async (body?: object) =>
      (await admin.post(`${path}/${webhookId}/secret`, body)).body.webhooks[0]
    const rotated = await rotate()
    expect(rotated.secret).not.toBe(secret)
    const hours = (Date.parse(rotated.previousSecretExpiresAt) - Date.parse(rotated.updatedAt)) / 3_600_000
    expect(hours).toBeCloseTo(24, 2)
    expect((await rotate({ overlapHours: 0 })).previousSecretExpiresAt).toBeNull()
    await admin.delete(`${path}/${webhookId}`)
  })

  it('are at most 20, also when registered at once', async () => {
    const { body } = await admin.get(path)
    const answers = await Promise.all(
      Array.from({ length: 22 - body.webhooks.length }, () => admin.post(path, { url, events: ['*'] })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(2)
    const all = (await admin.get(path)).body.webhooks
    expect(all).toHaveLength(20)
    await Promise.all(all.map((one: { webhookId: string }) => admin.delete(`${path}/${one.webhookId}`)))
  })

  const long = `https://example.org/${'a'.repeat(1980)}`
  it.each([
    [{ url: long }, 200],
    [{ url: `${long}a` }, 422],
    [{ url: 'ftp://example.org' }, 422],
    [{ url: 'example.org' }, 422],
    [{ url: 'https://user:pass@example.org' }, 422],
    [{ url: 'https://example.org/#part' }, 422],
    [{ url: 'http://0.0.0.0/' }, 422],
    [{ url: 'http://10.0.0.1/' }, 200],
    [{ events: [] }, 422],
    [{ events: ['message.didShout'] }, 422],
    [{ events: ['message.shouldCreate', 'v3.post.didCreate', 'video-streaming.didStart'] }, 200],
    [{ events: 'message.didCreate' }, 422],
    [{ description: 'd'.repeat(1000) }, 200],
    [{ description: 'd'.repeat(1001) }, 422],
    [{ prehookTimeoutMs: 99 }, 422],
    [{ prehookTimeoutMs: 10_000 }, 200],
    [{ prehookTimeoutMs: 10_001 }, 422],
    [{ defaultAction: 'maybe' }, 422],
  ])('%j answers %i', async (given, expected) => {
    const { status, body } = await admin.post(path, { url, events: ['*'], ...given })
    expect(status).toBe(expected)
    if (status === 200) await admin.delete(`${path}/${body.webhooks[0].webhookId}`)
    else expect(body.code).toBe(500000)
  })

  it('are for admins', async () => {
    const { webhookId } = await register()
    const one = `${path}/${webhookId}`
    const calls: [string, string][] = [
      ['POST', path], ['GET', path], ['GET', one], ['PUT', one], ['DELETE', one], ['POST', `${one}/secret`],
      ['POST', `${one}/enable`], ['POST', `${one}/disable`], ['GET', `${one}/deliveries`],
      ['GET', `${one}/deliveries/x`], ['POST', `${one}/deliveries/x/replay`], ['POST', `${one}/deliveries/replay`],
    ] // prettier-ignore
    const moderator = await server.as('mod')
    await admin.put('/api/v3/users', { userId: 'mod', roles: ['super-moderator'] })
    for (const who of [alice, moderator])
      for (const [method, where] of calls) {
        const body = JSON.stringify(method === 'GET' ? undefined : { url, events: ['*'] })
        const { body: answer } = await who.send(method, where, {
          ...(method !== 'GET' && { body, headers: { 'content-type': 'application/json' } }),
        })
        expect([method, where, answer.code]).toEqual([method, where, 400301])
      }
    await admin.delete(one)
  })
})

describe('deliveries', () => {
  let receiver: WebhookReceiver
  beforeAll(async () => void (receiver = await startWebhookReceiver()))
  afterAll(() => receiver.close())

  it('reach the path of the event, signed, with the data of the interface', async () => {
    const { webhookId, secret } = await register({
      url: `${receiver.url}/base?key=1`,
      events: ['channel.didUpdate'],
    })
    await alice.post('/api/v3/channels', { channelId: 'told', type: 'community', displayName: 'Before' })
    await alice.put('/api/v3/channels/told', { displayName: 'After' })
    const [call] = await eventually(() => receiver.received)
    expect(call!.path).toBe('/base/webhook/channel.didUpdate?key=1')
    expect(verifyWebhook(secret, call!)).toEqual(call!.body)
    expect(call!.body).toMatchObject({
      event: 'channel.didUpdate',
      data: {
        channel: [{ channelId: 'told', displayName: 'After' }],
        users: [{ userId: 'alice' }],
        userId: 'alice',
      },
    })
    expect(Object.keys(call!.body)).toEqual(['event', 'data'])
    expect(call!.headers['content-type']).toBe('application/json')
    expect(call!.headers['user-agent']).toBe('Hubbub/test')
    expect(call!.headers['x-amity-signature']).toMatch(/^[A-Za-z0-9+/]{43}=$/)
    expect(call!.headers['x-eko-signature']).toBe(call!.headers['x-amity-signature'])

    const token = /^Bearer (.+)$/.exec(call!.headers.authorization ?? '')![1]!
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as object
    expect(claims).toMatchObject({ aud: 'webhook', sub: webhookId })
    // It proves who sends; it opens nothing here.
    const tried = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    expect(tried.status).toBe(401)

    const logged = await eventually(async () => {
      const { body } = await admin.get(`${path}/${webhookId}/deliveries`, { state: 'delivered' })
      return body.deliveries
    })
    expect(logged).toEqual([
      expect.objectContaining({ deliveryId: call!.id, event: 'channel.didUpdate', attempts: 1, status: 200 }),
    ])
    await admin.delete(`${path}/${webhookId}`)
  })

  it('carry both signatures while a rotation lasts', async () => {
    const made = await register({ url: receiver.url, events: ['user.didUpdate'] })
    const rotated = (await admin.post(`${path}/${made.webhookId}/secret`)).body.webhooks[0]
    receiver.received.length = 0
    await alice.put('/api/v3/users', { description: 'rotated' })
    const [call] = await eventually(() => receiver.received)
    expect(String(call!.headers['webhook-signature']).split(' ')).toHaveLength(2)
    for (const secret of [made.secret, rotated.secret]) expect(verifyWebhook(secret, call!)).toBeTruthy()
    await admin.post(`${path}/${made.webhookId}/secret`, { overlapHours: 0 })
    await alice.put('/api/v3/users', { description: 'rotated again' })
    await eventually(() => receiver.received.length === 2)
    expect(() => verifyWebhook(rotated.secret, receiver.received[1]!)).toThrow(/signature/)
    await admin.delete(`${path}/${made.webhookId}`)
  })

  it('stop with the network setting, and while an endpoint is disabled', async () => {
    const { webhookId } = await register({ url: receiver.url, events: ['user.didUpdate'] })
    const tell = async (description: string) => {
      await alice.put('/api/v3/users', { description })
      await server.settled()
    }
    const count = async () => {
      const { body } = await admin.get(`${path}/${webhookId}/deliveries`)
      return body.deliveries.length
    }
    await admin.put('/api/v3/network-settings/webhook', { webhookEnabled: false })
    await tell('off')
    await admin.put('/api/v3/network-settings/webhook', { webhookEnabled: true })
    await admin.post(`${path}/${webhookId}/disable`)
    await tell('disabled')
    expect(await count()).toBe(0)
    await admin.post(`${path}/${webhookId}/enable`)
    await tell('on')
    expect(await count()).toBe(1)
    await admin.delete(`${path}/${webhookId}`)
  })
})
