import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelPath, converse, createChannel, ok } from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { listen, type Listener } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { followWebhooks, type WebhookCall } from '../../../test/harness/webhooks.ts'
import { messageFeeds } from '../message-feeds/index.ts'
import { messages } from '../messages/index.ts'
import { usersSlice } from '../users/index.ts'
import { channelEvents } from './events.ts'
import { channelsSlice } from './index.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
let inbox: Listener
let webhooks: () => Promise<WebhookCall[]>
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, carol] = await Promise.all([server.as('alice'), server.as('bob'), server.as('carol')])
  webhooks = await followWebhooks(server, [usersSlice([]), channelsSlice(), messageFeeds, messages])
  inbox = await listen(server, bob)
})
afterAll(async () => {
  inbox.close()
  await server.close()
})

const group = (fields = {}) => createChannel(alice, { userIds: ['bob'], displayName: 'Group', ...fields })
const userIds = (data: { users: { userId: string }[] }) => data.users.map((user) => user.userId).toSorted()

// Each act is done in a channel of alice (its moderator) and bob, who listens.
const acts: [
  event: string,
  webhook: string | null,
  named: object,
  concerned: string[],
  act: (channelId: string) => Promise<unknown>,
][] = [
  ['channel.updated', 'channel.didUpdate', { userId: 'alice' }, [],
    (id) => alice.put(channelPath(id), { displayName: 'New' })],
  ['channel.joined', 'channel.didJoin', { userIds: ['carol'] }, ['carol'],
    (id) => carol.post(channelPath(id, '/join'))],
  ['channel.left', 'channel.didLeave', { userIds: ['bob'] }, ['bob'],
    (id) => bob.delete(channelPath(id, '/leave'))],
  ['channel.membersAdded', 'channel.didAddUsers', { userIds: ['carol'], adderId: 'alice' }, ['carol'],
    (id) => alice.post(channelPath(id, '/users'), { userIds: ['carol'] })],
  ['channel.membersRemoved', 'channel.didRemoveUsers', { userIds: ['bob'], removerId: 'alice' }, ['bob'],
    (id) => alice.delete(channelPath(id, '/users'), { userIds: ['bob'] })],
  ['channel.banned', 'channel.didBan', { userIds: ['bob'], actorId: 'alice' }, ['bob'],
    (id) => alice.put(channelPath(id, '/users/ban'), { userIds: ['bob'] })],
  ['channel.updated', 'channel.didClose', {}, [],
    (id) => alice.post(`/api/v2/channels/${id}/close`)],
  ['channel.deleted', null, {}, [],
    (id) => alice.delete(channelPath(id))],
  ['channel.updated', 'channel.didUpdate', { userId: 'alice' }, ['bob'],
    (id) => alice.post(channelPath(id, '/users/roles'), { userIds: ['bob'], role: 'channel-moderator' })],
] // prettier-ignore

describe('what a member hears', () => {
  it.each(acts)('%s (%s)', async (event, webhook, named, concerned, act) => {
    const { channelId, _id } = await group()
    await inbox.next('channel.created')
    await webhooks()
    await act(channelId)
    const { data, path, senderId } = await inbox.next(event)
    expect(path).toBe(`hubbub/chat/${_id}`)
    expect(senderId).toHaveLength(24)
    expect(data.channels).toMatchObject([{ channelId, _id, displayName: expect.any(String) }])
    expect(data.channelUsers.map((one: { userId: string }) => one.userId)).toEqual(concerned)
    for (const key of ['users', 'files', 'messagePreviews', 'messageFeedsInfo'])
      expect(data[key]).toBeInstanceOf(Array)
    const calls = await webhooks()
    const call = calls.find(({ name }) => name === webhook)
    if (webhook === null) return expect(calls).toEqual([])
    expect(call?.data).toMatchObject({ channel: [{ channelId, avatar: null }], ...named })
    expect(userIds(call!.data)).toEqual(concerned.length > 0 ? concerned : ['alice'])
    const forbidden = [
      'avatarFileId',
      'channelInternalId',
      'channelPublicId',
      'messagePreviewId',
      'isDeleted',
      'isPublic',
    ]
    for (const key of [...forbidden, 'attachedTo']) expect(call!.data.channel[0]).not.toHaveProperty(key)
  })

  it('channel.created, from the first moment on', async () => {
    const { channelId } = await group()
    const { data } = await inbox.next('channel.created')
    expect(data.channels[0].channelId).toBe(channelId)
    expect(data.channelUsers.map((one: { userId: string }) => one.userId)).toEqual(['alice', 'bob'])
    const [call] = await webhooks()
    expect(call).toMatchObject({
      name: 'channel.didCreate',
      data: { userIds: expect.arrayContaining(['alice', 'bob']) },
    })
  })

  it('channel.unbanned, though no member any more', async () => {
    const { channelId } = await group()
    for (const act of ['ban', 'unban'])
      await alice.put(channelPath(channelId, `/users/${act}`), { userIds: ['bob'] })
    const { data } = await inbox.next('channel.unbanned')
    expect(data.channelUsers).toMatchObject([{ userId: 'bob', membership: 'none' }])
  })

  it('channel.setMuted, flat, by the internal id', async () => {
    const { channelId, _id } = await group()
    await alice.put(`/api/v2/channel/${channelId}/mute`, { mutePeriod: -1 })
    expect((await inbox.next('channel.setMuted')).data).toMatchObject({
      channelId: _id,
      muteTimeout: '9999-12-31T23:59:59.999Z',
      actor: 'alice',
      networkId: 'hubbub',
      channels: [{ channelId, isMuted: true }],
      channelUsers: [],
      users: [],
    })
    await alice.put(`/api/v2/channel/${channelId}/mute`, { mutePeriod: 0 })
    const { muteTimeout } = (await inbox.next('channel.setMuted')).data
    expect(Date.parse(muteTimeout)).toBeLessThanOrEqual(performance.timeOrigin + performance.now())
  })

  it('channel.setMutedUsers, flat, by public ids', async () => {
    const { channelId } = await group()
    await alice.put(`/api/v2/channel/${channelId}/users/mute`, { userIds: ['bob'], mutePeriod: 1000 })
    const { data } = await inbox.next('channel.setMutedUsers')
    expect(data).toMatchObject({
      channelId,
      userIds: ['bob'],
      actor: 'alice',
      muteTimeout: expect.any(String),
    })
  })

  it('nothing of live channels, unless subscribed', async () => {
    const { channelId, path } = await group({ type: 'live' })
    const subscribed = await listen(server, bob, [`${path}/#`])
    await alice.put(channelPath(channelId), { displayName: 'On air' })
    await subscribed.next('channel.updated')
    await server.settled()
    expect(inbox.heard.some(({ path: heard }) => heard === path)).toBe(false)
    subscribed.close()
  })
})

describe('webhooks', () => {
  it('tell of metadata apart, and of each banned user', async () => {
    const { channelId } = await group({ userIds: ['bob', 'carol'] })
    await webhooks()
    await alice.put(channelPath(channelId), { metadata: { a: 1 } })
    await alice.put(channelPath(channelId, '/users/ban'), { userIds: ['bob', 'carol'] })
    const calls = await webhooks()
    expect(calls.map(({ name }) => name)).toEqual([
      'channel.didUpdate',
      'channel.didUpdateMeta',
      'channel.didBan',
      'moderation.didBan',
      'moderation.didBan',
    ])
    expect(calls[1]!.data).toMatchObject({ userId: 'alice', channel: [{ metadata: { a: 1 } }] })
    expect(
      calls
        .slice(3)
        .map(({ data }) => data.userId)
        .toSorted(),
    ).toEqual(['bob', 'carol'])
  })

  it('carry the avatar itself', async () => {
    const at = new Date(0)
    const id = 'a0'.repeat(12)
    const file = { id, userId: alice.id, type: 'image', objectKey: id, name: 'a.png', extension: 'png' }
    await server.app.db
      .insertInto('files')
      .values({ ...file, mimeType: 'image/png', size: 1, createdAt: at, updatedAt: at })
      .execute()
    await webhooks()
    const channel = await group({ avatarFileId: id })
    expect(channel.avatarFileId).toBe(id)
    const [call] = await webhooks()
    expect(call!.data.channel[0].avatar).toMatchObject({ fileId: id, attributes: { name: 'a.png' } })
    expect(call!.data).not.toHaveProperty('files')
    expect(
      ok(await alice.put(channelPath(channel.channelId), { avatarFileId: '' })).channels[0].avatarFileId,
    ).toBeNull()
  })
})

describe('the topics of a channel', () => {
  const refused = async (client: TestClient, topic: string) => {
    const answer = await client.get(`/realtime?topics[]=${encodeURIComponent(topic)}`)
    return answer.status === 403
  }

  it('are open to those who may read it', async () => {
    const open = await group()
    const hidden = await group({ isPublic: false })
    const conversation = await converse(alice, ['bob'])
    for (const { path } of [open, hidden, conversation]) (await listen(server, bob, [`${path}/#`])).close()
    ;(await listen(server, carol, [open.path])).close()
    for (const { path } of [hidden, conversation]) expect(await refused(carol, `${path}/#`)).toBe(true)
    for (const topic of [
      'hubbub/chat/#',
      'hubbub/chat/+/#',
      'hubbub/chat/+',
      `hubbub/smartfeed/${bob.id}/messages`,
    ])
      expect([topic, await refused(carol, topic)]).toEqual([topic, true])
    ;(await listen(server, carol, [`hubbub/smartfeed/${carol.id}/messages`])).close()
  })

  it('are closed with the channel, with leaving and with removal', async () => {
    const { channelId, path } = await group({ isPublic: false })
    const watching = await listen(server, bob, [`${path}/#`])
    await alice.delete(channelPath(channelId, '/users'), { userIds: ['bob'] })
    await watching.next('channel.membersRemoved')
    await alice.put(channelPath(channelId), { displayName: 'Unheard' })
    await server.settled()
    expect(watching.names()).not.toContain('channel.updated')
    expect(await refused(bob, path)).toBe(true)
    await alice.delete(channelPath(channelId))
    await eventually(() => refused(alice, path))
    watching.close()
  })
})

it('every event has been told by some test', async () => {
  const told = await server.app.db.selectFrom('outboxEvents').select('name').distinct().execute()
  const names = new Set(told.map((row) => row.name))
  expect(channelEvents.map((event) => event.name).filter((name) => !names.has(name))).toEqual([])
})
