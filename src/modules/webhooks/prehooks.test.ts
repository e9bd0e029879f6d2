import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/harness/client.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import {
  startWebhookReceiver,
  verifyWebhook,
  type WebhookReceiver,
} from '../../../test/harness/webhook-receiver.ts'

let server: TestServer
let admin: TestClient
let alice: TestClient
let receiver: WebhookReceiver
let hook: { webhookId: string; secret: string }

const events = ['message', 'post', 'comment'].flatMap((kind) => [
  `${kind}.shouldCreate`,
  `${kind}.shouldUpdate`,
])

beforeAll(async () => {
  server = await startTestServer({ HUBBUB_WEBHOOK_ALLOW_PRIVATE: 'true' })
  admin = await server.asAdmin()
  alice = await server.as('alice')
  receiver = await startWebhookReceiver()
  const made = await admin.post('/api/v1/webhooks', { url: receiver.url, events, prehookTimeoutMs: 5000 })
  hook = made.body.webhooks[0]
  answer({ action: 'allow' })
  await alice.post('/api/v3/channels', { channelId: 'asked', type: 'community', displayName: 'Asked' })
})
afterAll(async () => {
  await receiver.close()
  await server.close()
})
beforeEach(() => void (receiver.received.length = 0))

function answer(verdict: unknown, status = 200): void {
  const text = typeof verdict === 'string' ? verdict : JSON.stringify(verdict)
  receiver.answer((_request, response) => response.writeHead(status).end(text))
}
const configure = (changes: object) => admin.put(`/api/v1/webhooks/${hook.webhookId}`, changes)

const sendMessage = (text: string) => alice.post('/api/v3/messages', { channelId: 'asked', data: { text } })

describe('what is asked about', () => {
  let postId: string
  let commentId: string
  let messageId: string
  beforeAll(async () => {
    answer({ action: 'allow' })
    postId = (await alice.post('/api/v4/posts', { data: { text: 'p' } })).body.posts[0].postId
    const comment = { referenceType: 'post', referenceId: postId, data: { text: 'c' } }
    commentId = (await alice.post('/api/v3/comments', comment)).body.comments[0].commentId
    messageId = (await sendMessage('m')).body.messages[0].messageId
  })

  const data = { text: 'asked' }
  it.each([
    ['message.shouldCreate', 'messages', () => sendMessage('asked')],
    ['message.shouldUpdate', 'messages', () => alice.put(`/api/v5/messages/${messageId}`, { data })],
    ['message.shouldUpdate', 'messages', () => alice.put(`/api/v3/messages/${messageId}`, { data })],
    ['post.shouldCreate', 'posts', () => alice.post('/api/v3/posts', { data })],
    ['post.shouldUpdate', 'posts', () => alice.put(`/api/v4/posts/${postId}`, { data })],
    ['comment.shouldCreate', 'comments', () => alice.post('/api/v3/comments', { referenceType: 'post', referenceId: postId, data })],
    ['comment.shouldUpdate', 'comments', () => alice.put(`/api/v3/comments/${commentId}`, { data })],
  ] as const)('%s can be allowed, denied and rewritten (%s)', async (event, key, write) => {
    answer({ action: 'allow' })
    const allowed = await write()
    expect([allowed.status, allowed.body[key]?.[0].data.text]).toEqual([200, 'asked'])
    const [call] = receiver.received
    expect(call!.path).toBe(`/webhook/${event}`)
    expect(verifyWebhook(hook.secret, call!)).toMatchObject({
      event,
      data: { data },
      actor: { userId: 'alice', userInternalId: alice.id },
    })

    answer({ action: 'allow', data: { data: { text: 'rewritten' } } })
    expect((await write()).body[key][0].data.text).toBe('rewritten')

    answer({ action: 'deny', message: 'Not here.' })
    const denied = await write()
    expect([denied.status, denied.body.code, denied.body.data.detail]).toEqual([403, 400300, ['Not here.']])
  }) // prettier-ignore

  it('tells what is to be changed, which cannot be rewritten', async () => {
    answer({ action: 'allow', data: { postId: 'other', data: { text: 'still this post' } } })
    const { body } = await alice.put(`/api/v4/posts/${postId}`, { data })
    expect(receiver.received[0]!.body.data.postId).toBe(postId)
    expect(body.posts[0]).toMatchObject({ postId, data: { text: 'still this post' } })
  })
})

describe('a pre-hook that fails', () => {
  it.each([
    ['answers 500', () => answer({ action: 'allow' }, 500)],
    ['redirects', () => receiver.answer((_, response) => response.writeHead(302, { location: '/' }).end())],
    ['is no JSON', () => answer('<html>')],
    ['says neither', () => answer({ action: 'perhaps' })],
    ['answers a list', () => answer([])],
    ['rewrites to what does not fit', () => answer({ action: 'allow', data: { data: 'text' } })],
    ['rewrites with no object', () => answer({ action: 'allow', data: 'text' })],
    ['answers too much', () => answer({ action: 'allow', data: { data: { text: 'x'.repeat(300_000) } } })],
    ['resets', () => receiver.answer((_, response) => void response.destroy())],
    [
      'takes too long',
      async () => {
        await configure({ prehookTimeoutMs: 100 })
        receiver.answer(() => undefined)
      },
    ],
  ])('(%s) leaves it to the default action', async (_how, misbehave) => {
    await misbehave()
    await configure({ defaultAction: 'allow' })
    expect((await sendMessage('kept')).body.messages?.[0].data.text).toBe('kept')
    await configure({ defaultAction: 'deny' })
    const denied = await sendMessage('refused')
    expect([denied.status, denied.body.code]).toEqual([403, 400300])
    await configure({ defaultAction: 'allow', prehookTimeoutMs: 5000 })
  })

  it('is judged by the same limits as what people write', async () => {
    answer({ action: 'allow', data: { data: { text: 'x'.repeat(20_001) } } })
    const { status, body } = await sendMessage('short')
    expect([status, body.code]).toEqual([422, 500000])
  })
})

it('is asked before a transaction: a slow one holds no connection', async () => {
  const waiting: (() => void)[] = []
  receiver.answer((_, response) => void waiting.push(() => response.end('{"action":"allow"}')))
  const writes = Array.from({ length: 30 }, (_, i) => alice.post('/api/v4/posts', { data: { text: `${i}` } }))
  while (waiting.length < 30) await new Promise((resolve) => setTimeout(resolve, 5))
  // More than the pool has connections are waiting, and the database answers.
  expect((await alice.get('/api/v3/channels/asked')).status).toBe(200)
  waiting.forEach((go) => go())
  for (const { status } of await Promise.all(writes)) expect(status).toBe(200)
})

it('several are asked in turn, and none that is disabled', async () => {
  const second = await startWebhookReceiver()
  const made = await admin.post('/api/v1/webhooks', {
    url: second.url,
    events: ['message.shouldCreate', '*'],
  })
  const { webhookId } = made.body.webhooks[0]
  answer({ action: 'allow', data: { data: { text: 'first' } } })
  second.answer(({ body }, response) => {
    const text = `${body.data.data?.text} and second`
    response.end(JSON.stringify({ action: 'allow', data: { data: { text } } }))
  })
  expect((await sendMessage('x')).body.messages[0].data.text).toBe('first and second')
  answer({ action: 'deny' })
  const asked = second.received.filter(({ path }) => path.endsWith('shouldCreate')).length
  const denied = await sendMessage('x')
  expect([denied.body.code, denied.body.data.detail]).toEqual([400300, ['refused by a pre-hook']])
  expect(second.received.filter(({ path }) => path.endsWith('shouldCreate'))).toHaveLength(asked)
  await admin.post(`/api/v1/webhooks/${hook.webhookId}/disable`)
  expect((await sendMessage('x')).body.messages[0].data.text).toBe('x and second')
  await admin.delete(`/api/v1/webhooks/${webhookId}`)
  await second.close()
})

it('the star does not ask: pre-hooks are named', async () => {
  const star = await startWebhookReceiver()
  star.answer((_, response) => response.end(JSON.stringify({ action: 'deny' })))
  await admin.post('/api/v1/webhooks', { url: star.url, events: ['*'], defaultAction: 'deny' })
  expect((await sendMessage('free')).status).toBe(200)
  await eventually(() => star.received.filter(({ path }) => path === '/webhook/message.didCreate'))
  await star.close()
})

describe('the pre-hook of the network settings', () => {
  const setting = '/api/v3/network-settings/prehook'
  let others: { webhookId: string }[]
  beforeAll(async () => {
    others = (await admin.get('/api/v1/webhooks')).body.webhooks
    for (const { webhookId } of others) await admin.delete(`/api/v1/webhooks/${webhookId}`)
  })

  it('is asked at its own address about everything, and shows its secret once', async () => {
    const none = { enabled: false, callbackUrl: '', defaultAction: 'allow' }
    expect((await admin.get(setting)).body).toEqual(none)
    const change = { enabled: true, callbackUrl: `${receiver.url}/ask?a=1`, defaultAction: 'deny' }
    const { secretKey, ...changed } = (await admin.put(setting, change)).body
    expect(changed).toEqual(change)
    expect((await admin.get(setting)).body).toEqual(change)
    answer({ action: 'allow', data: { data: { text: 'by the setting' } } })
    expect((await sendMessage('x')).body.messages[0].data.text).toBe('by the setting')
    expect(receiver.received[0]!.path).toBe('/ask?a=1')
    verifyWebhook(secretKey, receiver.received[0]!)
    answer('not json')
    expect((await sendMessage('x')).body.code).toBe(400300)
    // It is no webhook, and goes on when those are switched off.
    expect((await admin.get('/api/v1/webhooks')).body.webhooks).toEqual([])
    await admin.put('/api/v3/network-settings/webhook', { webhookEnabled: false })
    expect((await sendMessage('x')).body.code).toBe(400300)
    await admin.put('/api/v3/network-settings/webhook', { webhookEnabled: true })

    expect((await admin.put(setting, { defaultAction: 'allow' })).body).not.toHaveProperty('secretKey')
    const renewed = (await admin.put(setting, { regenerateKey: true })).body
    expect(renewed.secretKey).not.toBe(secretKey)
    receiver.received.length = 0
    expect((await sendMessage('x')).status).toBe(200)
    verifyWebhook(renewed.secretKey, receiver.received[0]!)
    await admin.put(setting, { enabled: false })
    await sendMessage('x')
    expect(receiver.received).toHaveLength(1)
  })

  it.each([
    [{ callbackUrl: 'nowhere' }, 422],
    [{ callbackUrl: `https://example.org/${'a'.repeat(880)}` }, 200],
    [{ callbackUrl: `https://example.org/${'a'.repeat(881)}` }, 422],
    [{ defaultAction: 'maybe' }, 422],
    [{ enabled: true, callbackUrl: '' }, 400],
  ])('%j answers %i', async (body, status) => {
    expect((await admin.put(setting, body)).status).toBe(status)
  })

  it('is for admins, and changed by several at once stays one', async () => {
    expect((await alice.get(setting)).body.code).toBe(400301)
    expect((await alice.put(setting, {})).body.code).toBe(400301)
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.put(setting, { enabled: false })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })
})
