import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelPath, createChannel, ok, say, sayIn } from './factories/chat.ts'
import { createComment, createPost } from './factories/comments.ts'
import { createCommunity, join as joinCommunity, path as communityPath } from './factories/communities.ts'
import { accept, follow, removeFollower, setSocial, unfollow } from './factories/follows.ts'
import { inCommunity, path as postPath } from './factories/posts.ts'
import { createStream, untilStatus } from './factories/streams.ts'
import type { TestClient } from './harness/client.ts'
import { eventually } from './harness/eventually.ts'
import { startTestServer, type TestServer } from './harness/server.ts'
import { streamRecordedAs } from '../src/modules/streams/life-cycle.ts'
import {
  startWebhookReceiver,
  verifyWebhook,
  type ReceivedWebhook,
  type WebhookReceiver,
} from './harness/webhook-receiver.ts'

/** Every webhook event of the interface, with the keys of its data. */
const catalogue = JSON.parse(
  readFileSync(new URL('fixtures/webhook-events.json', import.meta.url), 'utf8'),
) as Record<string, string[]>

const expected = Object.keys(catalogue)
const mediaSecret = 'a-secret-between-two-servers'

let server: TestServer
let receiver: WebhookReceiver
let secret: string
let admin: TestClient
let alice: TestClient
let bob: TestClient
let carol: TestClient

beforeAll(async () => {
  server = await startTestServer({
    HUBBUB_WEBHOOK_ALLOW_PRIVATE: 'true',
    // Streams are told of here as another media server does, instead of streamed.
    HUBBUB_MEDIA_RTMP_URL: 'rtmp://media.example',
    HUBBUB_MEDIA_SECRET: mediaSecret,
    HUBBUB_STREAM_GRACE_SECONDS: '1',
  })
  receiver = await startWebhookReceiver()
  admin = await server.asAdmin()
  secret = ok(await admin.post('/api/v1/webhooks', { url: receiver.url, events: ['*'] })).webhooks[0].secret
  ;[alice, bob, carol] = await Promise.all([server.as('alice'), server.as('bob'), server.as('carol')])
  await people()
  await chat()
  await messages()
  await communities()
  await posts()
  await comments()
  await polls()
  await streams()
  await server.settled()
  const quiet = async () => {
    const answers = await admin.get('/api/v1/webhooks')
    const { webhookId } = answers.body.webhooks[0]
    const pending = await admin.get(`/api/v1/webhooks/${webhookId}/deliveries`, { state: 'pending' })
    return pending.body.deliveries.length === 0
  }
  await eventually(quiet, 20_000)
}, 120_000)
afterAll(async () => {
  await receiver.close()
  await server.close()
})

async function people() {
  ok(await alice.put('/api/v3/users', { description: 'changed' }))
  ok(await bob.post('/api/v4/me/flags/alice'))
  ok(await bob.delete('/api/v4/me/flags/alice'))
  ok(await bob.post('/api/v4/me/flags/alice'))
  ok(await admin.delete('/api/v2/users/alice/flags'))
  ok(await follow(bob, 'alice'))
  ok(await unfollow(bob, 'alice'))
  ok(await follow(bob, 'alice'))
  ok(await removeFollower(alice, 'bob'))
  await setSocial(server, { isFollowWithRequestEnabled: true })
  ok(await follow(bob, 'alice'))
  ok(await accept(alice, 'bob'))
  ok(await follow(carol, 'alice'))
  ok(await removeFollower(alice, 'carol'))
  ok(await follow(carol, 'bob'))
  ok(await unfollow(carol, 'bob'))
  await setSocial(server, { isFollowWithRequestEnabled: false })
}

async function chat() {
  const { channelId } = await createChannel(alice, {
    type: 'community',
    displayName: 'Chat',
    userIds: ['carol'],
  })
  const users = channelPath(channelId, '/users')
  ok(await bob.post(channelPath(channelId, '/join')))
  ok(await alice.put(channelPath(channelId), { displayName: 'Talk', metadata: { a: 1 } }))
  ok(await bob.delete(channelPath(channelId, '/leave')))
  ok(await alice.post(users, { userIds: ['bob'] }))
  ok(await alice.delete(users, { userIds: ['bob'] }))
  ok(await alice.put(`${users}/ban`, { userIds: ['carol'] }))
  ok(await alice.post(channelPath(channelId, '/close', 'v2')))
}

async function messages() {
  const { _id: feedId, channelId } = await createChannel(alice, { type: 'community', displayName: 'Chat' })
  ok(await bob.post(channelPath(channelId, '/join')))
  const { messageId } = await sayIn(alice, feedId)
  const one = `/api/v5/messages/${messageId}`
  ok(await alice.put(one, { data: { text: 'changed' } }))
  ok(await bob.post(`${one}/flags`))
  ok(await bob.delete(`${one}/flags`))
  ok(await bob.post(`${one}/flags`))
  ok(await alice.delete(`${one}/flags/all`))
  await reactTo('message', messageId)
  ok(await alice.delete(one))
  await say(alice, channelId, 'in the older way')
}

async function reactTo(referenceType: string, referenceId: string) {
  const reaction = { referenceType, referenceId, reactionName: 'like' }
  ok(await bob.post('/api/v2/reactions', reaction))
  ok(await bob.delete('/api/v2/reactions', reaction))
}

async function communities() {
  const { communityId } = await createCommunity(alice)
  const at = (rest: string) => communityPath(communityId, rest)
  ok(await alice.put(at(''), { description: 'changed' }))
  ok(await joinCommunity(bob, communityId))
  ok(await bob.delete(at('/leave')))
  ok(await alice.post(at('/users'), { userIds: ['bob', 'carol'] }))
  ok(await alice.post(at('/users/roles'), { userIds: ['bob'], role: 'community-moderator' }))
  ok(await alice.delete(at('/users'), { userIds: ['carol'] }))
  ok(await alice.put(at('/users/ban'), { userIds: ['bob'] }))
  ok(await alice.put(at('/users/unban'), { userIds: ['bob'] }))
  ok(await alice.delete(at('')))
}

const mentions = (userId: string) => ({ mentionees: [{ type: 'user', userIds: [userId] }] })

async function posts() {
  const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
  const { postId } = await createPost(bob, { ...inCommunity(communityId), ...mentions('alice') })
  ok(await bob.put(postPath(postId), { data: { text: 'changed' } }))
  ok(await alice.post(postPath(postId, '/flag')))
  ok(await alice.delete(postPath(postId, '/unflag')))
  const own = await createPost(alice, mentions('bob'))
  await reactTo('post', own.postId)
  ok(await bob.delete(postPath(postId)))
  ok(await alice.put(communityPath(communityId), { needApprovalOnPostCreation: true }))
  for (const verdict of ['approve', 'decline']) {
    const waiting = await createPost(bob, inCommunity(communityId))
    ok(await alice.post(postPath(waiting.postId, `/${verdict}`)))
  }
}

async function comments() {
  const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
  for (const target of [inCommunity(communityId), {}]) {
    const { postId } = await createPost(alice, target)
    const { commentId } = await createComment(bob, postId, mentions('alice'))
    await createComment(alice, postId, { parentId: commentId, ...mentions('bob') })
    const one = `/api/v3/comments/${commentId}`
    ok(await bob.put(one, { data: { text: 'changed' } }))
    ok(await alice.post(`${one}/flag`))
    ok(await alice.delete(`${one}/unflag`))
    const mine = await createComment(alice, postId)
    await reactTo('comment', mine.commentId)
    ok(await bob.delete(one))
  }
}

async function polls() {
  const answers = ['a', 'b'].map((data) => ({ dataType: 'text', data }))
  const made = ok(await alice.post('/api/v3/polls', { question: 'Which?', answers })).polls[0]
  await createPost(alice, { dataType: 'poll', data: { text: 'Vote', pollId: made.pollId } })
  ok(await bob.post(`/api/v3/polls/${made.pollId}/votes`, { answerIds: [made.answers[0].id] }))
  ok(await alice.put(`/api/v3/polls/${made.pollId}`, { status: 'closed' }))
}

async function streams() {
  const { streamId, streamerUrl } = await createStream(alice)
  const tell = async (action: string) => {
    const { status } = await fetch(`${server.url}/media/callbacks?secret=${mediaSecret}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action, path: `live/${streamId}`, query: streamerUrl.components.query }),
    })
    expect(status).toBe(200)
  }
  await tell('publish')
  await untilStatus(alice, streamId, 'live')
  await tell('unpublish')
  await untilStatus(alice, streamId, 'ended')
  const facts = { duration: 1, startTime: new Date(0), stopTime: new Date(1000), missing: [] }
  const file = { name: 'a.flv', kind: 'flv' as const, part: 1, objectKey: 'a/b', contentType: 'x', size: 1 }
  expect(await streamRecordedAs(server.app.db, streamId, [file], facts)).toBe(true)
}

const called = (name: string): ReceivedWebhook[] =>
  receiver.received.filter((call) => call.path === `/webhook/${name}`)

describe('every webhook event', () => {
  it.each(expected)('%s is sent, with the keys of the interface', (name) => {
    const [call] = called(name)
    expect(call, `${name} was never sent`).toBeDefined()
    expect(verifyWebhook(secret, call!)).toEqual(call!.body)
    const { data, ...envelope } = call!.body
    const promised = catalogue[name]!
    expect(Object.keys(data)).toEqual(expect.arrayContaining(promised))
    const [first] = promised
    if (Array.isArray(data[first!])) expect(promised.some((key) => data[key].length > 0)).toBe(true)
    if (!name.startsWith('push-notification/')) return expect(envelope).toEqual({ event: name })
    expect(envelope).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      networkId: 'hubbub',
      path: expect.stringMatching(/^hubbub/),
      eventType: 'push-notification.created',
      // The network's id where nobody acted.
      senderId: expect.stringMatching(/^([0-9a-f]{24}|hubbub)$/),
      sentTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      version: '1',
    })
    expect(data).toMatchObject({ eventName: expect.any(String), notify: true, targetIds: expect.any(Array) })
    expect(data.title).not.toBe('')
    expect(data.body).not.toMatch(/undefined|null|Someone/)
  })

  it('and no other', () => {
    const names = new Set(receiver.received.map((call) => call.path.replace('/webhook/', '')))
    console.log(`webhook events sent: ${names.size} of ${expected.length}`)
    expect([...names].filter((name) => !(name in catalogue))).toEqual([])
    expect(names.size).toBe(expected.length)
  })
})

describe('push notifications', () => {
  const told = (name: string) => called(`push-notification/${name}`).map(({ body }) => body.data)

  it('are for those concerned, never for who did it', () => {
    expect(told('follow.created').map(({ targetIds }) => targetIds)).toEqual([['alice'], ['alice']])
    expect(told('follow.accepted')[0]).toMatchObject({ targetIds: ['bob'], title: 'alice' })
    expect(told('channel.created')[0]).toMatchObject({ targetIds: ['carol'], title: 'Chat' })
    expect(told('post.need-reviewing')[0].targetIds).toEqual(['alice'])
    expect(told('post.approved')[0].targetIds).toEqual(['bob'])
    expect(told('post.reacted')[0]).toMatchObject({ targetIds: ['alice'], body: 'bob reacted to your post.' })
    expect(told('comment.created')[0]).toMatchObject({
      targetIds: ['alice'],
      isBroadcast: false,
      body: 'bob commented on your post: A comment',
    })
    expect(told('comment.replied')[0].targetIds).toEqual(['bob'])
    expect(told('mention-user-feed-post.created')[0].targetIds).toEqual(['bob'])
    // Her own comment on her own post concerns nobody.
    expect(told('comment.created')).toHaveLength(2)
  })

  it('are broadcasts where they are for all of a channel or community', () => {
    for (const name of ['message.created', 'channel.joined', 'post.created'])
      for (const data of told(name)) {
        const [place] = (data.channels ?? data.communities ?? data.messages) as Record<string, string>[]
        expect(data).toMatchObject({
          isBroadcast: true,
          targetIds: [place!.channelId ?? place!.communityId],
        })
      }
  })
})
