import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { readPost } from '../../../test/factories/posts.ts'
import { moveClock, resetClock } from '../../../test/harness/clock.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/harness/webhook-receiver.ts'
import { now } from '../../platform/clock.ts'

let server: TestServer
let alice: TestClient
let receiver: WebhookReceiver

beforeAll(async () => {
  server = await startTestServer({ HUBBUB_WEBHOOK_ALLOW_PRIVATE: 'true' })
  alice = await server.as('alice')
  receiver = await startWebhookReceiver()
  const admin = await server.asAdmin()
  const hook = { url: receiver.url, events: ['post.shouldCreate'], prehookTimeoutMs: 5000 }
  expect((await admin.post('/api/v1/webhooks', hook)).status).toBe(200)
})
afterAll(async () => {
  await receiver.close()
  await server.close()
})
afterEach(() => resetClock())

const path = '/api/v1/posts/schedule'
const hour = 3_600_000

async function publish(text: string, verdict: object) {
  receiver.received.length = 0
  receiver.answer((_request, response) => response.end(JSON.stringify(verdict)))
  const scheduledAt = new Date(now().getTime() + 2 * hour).toISOString()
  const { body } = await alice.post(path, { scheduledAt, postData: { data: { text } } })
  expect(receiver.received).toEqual([])
  await moveClock(server, 3 * hour)
  const scheduled = (await alice.get(`${path}/${body.data[0]._id}`)).body.data[0]
  return { status: scheduled.status, post: await readPost(alice, scheduled.postData.postId) }
}

it('a pre-hook is asked when a scheduled post appears, in its author’s name', async () => {
  const { status, post } = await publish('asked', { action: 'allow' })
  expect(status.code).toBe('DONE')
  expect(post.data.text).toBe('asked')
  expect(receiver.received.map(({ body }) => body)).toMatchObject([
    { event: 'post.shouldCreate', data: { data: { text: 'asked' } }, actor: { userId: 'alice' } },
  ])
})

it('it may rewrite the post', async () => {
  const { post } = await publish('draft', { action: 'allow', data: { data: { text: 'rewritten' } } })
  expect(post.data.text).toBe('rewritten')
})

it('it may say no, and why', async () => {
  const { status, post } = await publish('bad', { action: 'deny', message: 'not in our house' })
  expect(status).toEqual({ code: 'FAIL', description: expect.stringContaining('not in our house') })
  expect(post).toBeUndefined()
})
