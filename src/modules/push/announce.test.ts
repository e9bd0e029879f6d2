import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { channelPath, converse, createChannel, ok, openChannel, say } from '../../../test/factories/chat.ts'
import { createComment } from '../../../test/factories/comments.ts'
import { createCommunity } from '../../../test/factories/communities.ts'
import { block, unblock } from '../../../test/factories/follows.ts'
import { createPost, inCommunity } from '../../../test/factories/posts.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { defineEvent } from '../../kernel/outbox/event.ts'
import { notificationKey, type Notification } from '../../kernel/outbox/notification.ts'
import { findEventsAfter } from '../../kernel/outbox/store.ts'
import { inTransaction } from '../../kernel/database.ts'
import { ensureUser } from '../users/index.ts'
import { announce } from './announce.ts'

let server: TestServer
let ann: TestClient
let bob: TestClient
let cat: TestClient
let admin: TestClient
let position = 0
beforeAll(async () => {
  server = await startTestServer()
  const as = (name: string) => server.as(name)
  ;[ann, bob, cat, admin] = await Promise.all([as('ann'), as('bob'), as('cat'), server.asAdmin()])
})
afterAll(() => server.close())
beforeEach(async () => void (await announced('')))

const definition = defineEvent({ name: 'any', audiences: () => [], realtime: null })

/** The notifications by this name that came of what happened since the last call. */
async function announced(name: string): Promise<Notification[]> {
  await server.settled()
  const { db } = server.app
  const stored = await findEventsAfter(db, position, 1000)
  position = stored.at(-1)?.position ?? position
  const told = await announce(
    db,
    stored.map((event) => ({ ...event, definition })),
  )
  return stored.flatMap(({ id }) => told.get(notificationKey(id, name)) ?? [])
}

const setting = async (client: TestClient, body: object) =>
  ok(await client.post('/api/v3/notification/setting', body))
const off = { isPushNotifiable: false }
const nobody = { notify: false, targetIds: [] }

describe('of messages', () => {
  it('name the members, without who wrote it, in the words of the push', async () => {
    const { channelId } = await openChannel(ann, { displayName: 'Pond' }, bob, cat)
    await say(ann, channelId, 'One  line', { mentionees: [{ type: 'user', userIds: ['bob'] }] })
    expect(await announced('message.created')).toEqual([
      { title: 'Pond', body: 'ann: One line', isBroadcast: false, notify: true, targetIds: ['bob', 'cat'] },
    ])
  })

  it.each<[string, object]>([
    ['everything off', { level: 'user', ...off }],
    ['chat off', { level: 'user', notifiableEvents: [{ moduleName: 'chat', ...off }] }],
    ['messages off', { level: 'user', notifiableEvents: [{ name: 'message.created', ...off }] }],
    ['the channel off', { level: 'channel', ...off }],
    [
      'only a role heard',
      { level: 'channel', notifiableEvents: [{ name: 'message.created', listenFromRoleIds: ['x'] }] },
    ],
  ])('leave out who said no: %s', async (name, said) => {
    const eve = await server.as(`eve-${name.replaceAll(' ', '-')}`)
    const { channelId } = await openChannel(ann, {}, bob, eve)
    await setting(eve, { channelId, ...said })
    await say(ann, channelId, 'Hear')
    expect(await announced('message.created')).toMatchObject([{ notify: true, targetIds: ['bob'] }])
  })

  it.each([
    ['silent', [], []],
    ['subscribe', [], ['bob']],
  ])('follow the mode %s of a channel', async (notificationMode, first, then) => {
    const { channelId } = await openChannel(ann, { notificationMode }, bob, cat)
    await say(ann, channelId, 'First')
    expect(await announced('message.created')).toMatchObject([{ notify: false, targetIds: first }])
    await setting(bob, { level: 'channel', channelId, isPushNotifiable: true })
    await say(ann, channelId, 'Then')
    expect(await announced('message.created')).toMatchObject([{ notify: then.length > 0, targetIds: then }])
  })

  it('use the texts of the admins, and notify nobody where they switched it off', async () => {
    const { channelId } = await openChannel(ann, { displayName: 'Pond' }, bob)
    const network = (more: object) =>
      setting(admin, { level: 'network', notifiableEvents: [{ name: 'message.created', ...more }] })
    await network({ titleTemplate: 'New in {{channelName}}', bodyTemplate: 'by {{actorName}}' })
    await say(ann, channelId, 'Hi')
    expect(await announced('message.created')).toMatchObject([{ title: 'New in Pond', body: 'by ann' }])
    await network(off)
    await say(ann, channelId, 'Hi')
    expect(await announced('message.created')).toMatchObject([{ title: 'New in Pond', ...nobody }])
    await network({ isPushNotifiable: true, titleTemplate: '{{channelName}}', bodyTemplate: '{{text}}' })
  })

  it('are a broadcast to the channel when they are for more than a hundred', async () => {
    const userIds = Array.from({ length: 101 }, (_, n) => `person-${n}`)
    await inTransaction(server.app.db, async (tx) => {
      for (const userId of userIds) await ensureUser(tx, { userId })
    })
    const { channelId } = await createChannel(ann, { userIds })
    await say(ann, channelId, 'All of you')
    const broadcast = { isBroadcast: true, notify: true, targetIds: [channelId] }
    expect(await announced('message.created')).toMatchObject([broadcast])
    await setting(await server.as('person-0'), { level: 'user', ...off })
    await say(ann, channelId, 'Nearly all of you')
    const [told] = await announced('message.created')
    expect(told).toMatchObject({ isBroadcast: false, notify: true })
    expect(told!.targetIds).toHaveLength(100)
    expect(told!.targetIds).not.toContain('person-0')
  })
})

it('tell who made a channel or came into it', async () => {
  const { channelId } = await createChannel(ann, { displayName: 'Pond', userIds: ['cat'] })
  expect(await announced('channel.created')).toMatchObject([
    { title: 'Pond', body: 'ann created the channel.', targetIds: ['cat'] },
  ])
  ok(await bob.post(channelPath(channelId, '/join')))
  expect(await announced('channel.joined')).toMatchObject([
    { body: 'bob joined the channel.', targetIds: ['ann', 'cat'] },
  ])
  await converse(ann, ['bob'])
  expect(await announced('channel.created')).toMatchObject([
    { title: 'ann', body: 'ann started a conversation with you.', targetIds: ['bob'] },
  ])
})

it('leave out people one of whom blocked the other, and what they may not read', async () => {
  const { communityId } = await createCommunity(ann, { isPublic: false, userIds: ['bob', 'cat'] })
  ok(await block(cat, 'ann'))
  const mentionees = [{ type: 'user', userIds: ['bob'] }]
  const { postId } = await createPost(ann, inCommunity(communityId))
  expect(await announced('post.created')).toMatchObject([{ targetIds: ['bob'] }])
  ok(await unblock(cat, 'ann'))
  const { commentId } = await createComment(bob, postId)
  await createComment(cat, postId, { parentId: commentId, mentionees })
  expect(await announced('mention-comment.replied')).toMatchObject([{ targetIds: ['bob'] }])
  await createComment(cat, postId, { parentId: commentId })
  ok(await ann.delete(`/api/v3/communities/${communityId}/users`, { userIds: ['bob'] }))
  expect(await announced('comment.replied')).toMatchObject([nobody])
})
