import { describe, expect, it } from 'vitest'
import {
  channelPath,
  converse,
  createChannel,
  memberOf,
  ok,
  refusal,
  say,
  sayIn,
} from '../../../test/factories/chat.ts'
import { recordFile } from '../../../test/factories/files.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { server, alice, bob, carol, admin } = await startWithPeople()

const group = (fields = {}) => createChannel(alice, { userIds: ['bob'], ...fields })
const v3 = (client: TestClient, channelId: string, fields: object) =>
  client.post('/api/v3/messages', { channelId, ...fields })
const v5 = (client: TestClient, messageFeedId: string, fields: object) =>
  client.post('/api/v5/messages', { messageFeedId, dataType: 'text', ...fields })

describe('creating a message', () => {
  it('answers the create form with every field', async () => {
    const { channelId, path, channelInternalId } = await group({ channelId: 'form talk' })
    const parent = await say(bob, channelId, 'parent', { messageId: 'parent-1' })
    const fileId = await recordFile(server, alice)
    const body = ok(
      await v3(alice, channelId, {
        messageId: 'mine/1',
        type: 'image',
        data: { caption: 'ü', nested: { a: [1.5, null] } },
        fileId,
        parentId: parent.messageId,
        metadata: { z: 1, a: { b: null } },
        tags: ['t1', 't2'],
        mentionees: [{ type: 'user', userIds: ['bob', 'bob'] }, { type: 'channel' }],
      }),
    )
    const [message] = body.messages
    expect(message).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      path: `${path}/${channelInternalId}/${message._id}`,
      messageId: 'mine/1',
      channelId: 'form talk',
      userId: 'alice',
      parentId: 'parent-1',
      type: 'image',
      data: { caption: 'ü', nested: { a: [1.5, null] } },
      fileId,
      metadata: { z: 1, a: { b: null } },
      channelSegment: 2,
      tags: ['t1', 't2'],
      mentionees: [
        { type: 'user', userIds: ['bob'], userPublicIds: ['bob'], userInternalIds: [bob.id] },
        { type: 'channel', userIds: [], userPublicIds: [], userInternalIds: [] },
      ],
      reactions: {},
      reactionsCount: 0,
      myReactions: [],
      latestReaction: null,
      flagCount: 0,
      hashFlag: null,
      childrenNumber: 0,
      isDeleted: false,
      editedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(body.users.map((user: { userId: string }) => user.userId)).toEqual(['alice', 'bob'])
    expect(body.users[0]).toHaveProperty('avatarFileId')
    expect(body.files.map((file: { fileId: string }) => file.fileId)).toEqual([fileId])
    // What was answered from memory is what is read from the database.
    expect(ok(await alice.get('/api/v3/messages/list', { messageIds: ['mine/1'] }))).toEqual(body)
    expect(ok(await alice.get('/api/v3/messages/parent-1')).messages[0].childrenNumber).toBe(1)
  })

  it('answers the list form with what clients need, and the id they gave', async () => {
    const { channelId, channelInternalId, path } = await group()
    const body = ok(
      await v5(bob, channelInternalId, {
        data: { text: 'hi' },
        referenceId: 'LOCAL_732d382f-4484-4a54-a8f6-af858a7d7051',
        tags: ['t'],
        metadata: { a: 1 },
        mentionedUsers: [{ type: 'user', userIds: [alice.id] }],
      }),
    )
    const [message] = body.messages
    expect(message).toEqual({
      messageId: expect.stringMatching(/^[0-9a-f]{24}$/),
      publicId: message.messageId,
      referenceId: 'LOCAL_732d382f-4484-4a54-a8f6-af858a7d7051',
      networkId: 'hubbub',
      channelId: channelInternalId,
      channelPublicId: channelId,
      channelType: 'community',
      messageFeedId: channelInternalId,
      dataType: 'text',
      dataTypes: ['text'],
      data: { text: 'hi' },
      metadata: { a: 1 },
      fileId: null,
      thumbnailFileId: null,
      creatorId: bob.id,
      creatorPublicId: 'bob',
      parentId: null,
      path: `${path}/${channelInternalId}/${message.messageId}`,
      segment: 1,
      tags: ['t'],
      mentionedUsers: [{ type: 'user', userIds: [alice.id], userPublicIds: ['alice'] }],
      reactions: {},
      reactionCount: 0,
      myReactions: [],
      flagCount: 0,
      hashFlag: null,
      childCount: 0,
      isDeleted: false,
      deletedAt: null,
      editedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(body.messageFeeds).toMatchObject([
      { messageFeedId: channelInternalId, lastMessageId: message.messageId, childCount: 1 },
    ])
    const listed = ok(await bob.get('/api/v5/messages/list', { messageIds: [message.messageId] }))
    const { referenceId: _referenceId, ...shown } = message
    expect(listed).toEqual({ ...body, messages: [shown] })
  })

  it('asks nothing of a message but its channel', async () => {
    const { channelId } = await group()
    expect(ok(await v3(alice, channelId, {})).messages[0]).toMatchObject({ type: 'text', data: {} })
  })

  it.each(['text', 'image', 'file', 'custom', 'video', 'audio', 'imagemap'])(
    'takes the type %s',
    async (type) => {
      const { channelId, channelInternalId } = await group()
      expect(ok(await v3(alice, channelId, { type })).messages[0].type).toBe(type)
      expect(ok(await v5(alice, channelInternalId, { dataType: type })).messages[0].dataType).toBe(type)
    },
  )

  const long = (length: number) => 'x'.repeat(length)
  it.each([
    ['text of 20,000', { data: { text: long(20_000) } }, { data: { text: long(20_001) } }],
    ['text that is text', { data: { text: '' } }, { data: { text: 1 } }],
    [
      'data of 100 kB',
      { type: 'custom', data: { a: long(99_000) } },
      { type: 'custom', data: { a: long(100_001) } },
    ],
    ['metadata of 100 kB', { metadata: { a: long(99_000) } }, { metadata: { a: long(100_001) } }],
    ['10 tags', { tags: Array(10).fill('t') }, { tags: Array(11).fill('t') }],
    ['tag of 30', { tags: [long(30)] }, { tags: [long(31)] }],
    ['messageId of 150', { messageId: long(150) }, { messageId: long(151) }],
    ['2 mentions', { mentionees: [{ userIds: ['bob'] }, { type: 'channel' }] }, { mentionees: [{}, {}, {}] }],
    [
      '30 mentioned',
      { mentionees: [{ userIds: Array(30).fill('bob') }] },
      { mentionees: [{ userIds: Array(31).fill('bob') }] },
    ],
    ['known types', { type: 'audio' }, { type: 'gif' }],
    ['an object as data', { data: {} }, { data: 'text' }],
    ['a fileId of 50', {}, { fileId: long(51) }],
    ['a parentId of 150', {}, { parentId: long(151) }],
  ])('takes %s and no more', async (_name, within, beyond) => {
    const { channelId } = await group()
    expect((await v3(alice, channelId, within)).status).toBe(200)
    expect(refusal(await v3(alice, channelId, beyond))).toEqual([422, 500000])
  })

  it.each([
    ['a channel that is not there', (id: string) => v3(alice, `${id}x`, {}), [404, 400400]],
    ['a feed that is not there', () => v5(alice, 'nowhere', {}), [404, 400400]],
    [
      'a file that is not there',
      (id: string) => v3(alice, id, { type: 'file', fileId: 'none' }),
      [404, 400400],
    ],
    ['a parent that is not there', (id: string) => v3(alice, id, { parentId: 'none' }), [404, 400400]],
    [
      'people that are not there',
      (id: string) => v3(alice, id, { mentionees: [{ userIds: ['who'] }] }),
      [404, 400400],
    ],
    ['a NUL in the text', (id: string) => v3(alice, id, { data: { text: 'a\0b' } }), [422, 500000]],
  ] as const)('refuses %s, and writes nothing', async (_name, act, expected) => {
    const { channelId } = await group()
    expect(refusal(await act(channelId))).toEqual(expected)
    expect(ok(await alice.get(channelPath(channelId))).channels[0].messageCount).toBe(0)
  })

  it('takes files of the kind it names', async () => {
    const { channelId } = await group()
    const image = await recordFile(server, alice, 'image')
    expect(refusal(await v3(alice, channelId, { type: 'video', fileId: image }))).toEqual([400, 400000])
    expect((await v3(alice, channelId, { type: 'file', fileId: image })).status).toBe(200)
    const video = await recordFile(server, alice, 'video')
    const shown = ok(
      await v3(alice, channelId, { type: 'video', fileId: video, data: { thumbnailFileId: image } }),
    )
    expect(shown.files.map((file: { fileId: string }) => file.fileId).toSorted()).toEqual(
      [image, video].toSorted(),
    )
  })
})

describe('who may write', () => {
  const writes = async (client: TestClient, channelId: string) => {
    const answer = await v3(client, channelId, { data: { text: 'x' } })
    return answer.status === 200 ? 200 : refusal(answer).join()
  }

  it.each([
    ['community', {}, { alice: 200, bob: 200, carol: '403,400301', admin: '403,400301' }],
    ['private', { isPublic: false }, { alice: 200, bob: 200, carol: '404,400400', admin: '403,400301' }],
    ['live', { type: 'live' }, { alice: 200, bob: 200, carol: '403,400301', admin: '403,400301' }],
    ['broadcast', { type: 'broadcast' }, { alice: 200, bob: '403,400301', carol: '403,400301', admin: 200 }],
  ])('in a %s channel', async (_name, fields, expected) => {
    const { channelId } = await group(fields)
    const seen: Record<string, unknown> = {}
    for (const client of [alice, bob, carol, admin]) seen[client.userId] = await writes(client, channelId)
    expect(seen).toEqual(expected)
  })

  it('in a conversation: those in it', async () => {
    const { channelId } = await converse(alice, ['bob'])
    expect([
      await writes(bob, channelId),
      await writes(carol, channelId),
      await writes(admin, channelId),
    ]).toEqual([200, '404,400400', '403,400301'])
  })

  it('not who left, was removed or never signed in', async () => {
    const { channelId } = await group()
    await bob.delete(channelPath(channelId, '/leave'))
    expect(await writes(bob, channelId)).toBe('403,400301')
    const answer = await fetch(`${server.url}/api/v3/messages`, { method: 'POST' })
    expect(answer.status).toBe(401)
  })
})

describe('replies', () => {
  it('answer a message of their feed, one level deep', async () => {
    const { channelId, channelInternalId } = await group()
    const parent = await say(alice, channelId, 'parent')
    const reply = await say(bob, channelId, 'reply', { parentId: parent.messageId })
    expect(refusal(await v3(alice, channelId, { parentId: reply.messageId }))).toEqual([400, 400000])
    const other = await group()
    expect(refusal(await v3(alice, other.channelId, { parentId: parent.messageId }))).toEqual([404, 400400])
    const side = ok(await alice.post('/api/v5/message-feeds', { channelId: channelInternalId, name: 'side' }))
    const sideways = await v5(alice, side.messageFeeds[0].messageFeedId, { parentId: parent.messageId })
    expect(refusal(sideways)).toEqual([404, 400400])
    const many = await Promise.all(
      Array.from({ length: 20 }, () => sayIn(bob, channelInternalId, 'r', { parentId: parent.messageId })),
    )
    expect(many[0].parentId).toBe(parent.messageId)
    expect(ok(await bob.get(`/api/v5/messages/${parent.messageId}`)).messages[0].childCount).toBe(21)
    await alice.delete(`/api/v5/messages/${parent.messageId}`)
    expect(refusal(await v3(bob, channelId, { parentId: parent.messageId }))).toEqual([404, 400400])
    expect(ok(await bob.get(`/api/v5/messages/${reply.messageId}`)).messages[0].isDeleted).toBe(false)
  })
})

describe('mentions', () => {
  const markOf = async (client: TestClient, channelId: string) =>
    memberOf(ok(await client.get(channelPath(channelId))), client.userId).lastMentionedSegment

  it('mark the members mentioned, by their own row or by one of the channel', async () => {
    const { channelId } = await group({ userIds: ['bob', 'carol'] })
    await say(alice, channelId, 'nobody')
    await say(alice, channelId, 'bob', { mentionees: [{ type: 'user', userIds: ['bob'] }] })
    expect([await markOf(bob, channelId), await markOf(carol, channelId)]).toEqual([2, 0])
    await say(alice, channelId, 'all', { mentionees: [{ type: 'channel' }] })
    expect([await markOf(bob, channelId), await markOf(carol, channelId)]).toEqual([3, 3])
    // Whoever comes later was not mentioned.
    await admin.post(channelPath(channelId, '/join'))
    expect(await markOf(admin, channelId)).toBe(0)
  })

  it('of the whole channel can be switched off', async () => {
    const { channelId } = await group()
    await admin.put('/api/v3/network-settings/chat', { isAllowMentionedChannelEnabled: false })
    const answers = await Promise.all([
      v3(alice, channelId, { mentionees: [{ type: 'channel' }] }),
      v3(alice, channelId, { mentionees: [{ type: 'user', userIds: ['bob'] }] }),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([403, 200])
    await admin.put('/api/v3/network-settings/chat', { isAllowMentionedChannelEnabled: true })
    expect((await v3(alice, channelId, { mentionees: [{ type: 'channel' }] })).status).toBe(200)
  })
})
