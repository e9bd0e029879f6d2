import { describe, expect, it } from 'vitest'
import {
  channelPath,
  converse,
  createChannel,
  memberOf,
  ok,
  refusal,
  say,
} from '../../../test/factories/chat.ts'
import { createRoom } from '../../../test/factories/rooms.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { server, alice, bob, carol, admin } = await startWithPeople()

const long = (length: number) => 'x'.repeat(length)

describe('creating a channel', () => {
  it('answers every field as given, with the creator as its moderator', async () => {
    const given = {
      channelId: 'kitchen talk/1',
      type: 'community',
      displayName: 'Kitchen',
      metadata: { b: [1.5, null], a: { deep: 'ü' } },
      tags: ['soup', 'bread'],
      userIds: ['bob', 'carol', 'alice'],
      isPublic: false,
      messageAutoDeleteEnabled: true,
      autoDeleteMessageByFlagLimit: 3,
      notificationMode: 'silent',
    }
    const body = ok(await alice.post('/api/v3/channels', given))
    const { userIds: _userIds, ...shown } = given
    expect(body.channels).toHaveLength(1)
    expect(body.channels[0]).toMatchObject({
      ...shown,
      channelPublicId: given.channelId,
      memberCount: 3,
      moderatorMemberCount: 1,
      messageCount: 0,
      isMuted: false,
      isRateLimited: false,
      isDistinct: false,
      isDeleted: false,
      attachedTo: {},
      messagePreviewId: null,
    })
    const channel = body.channels[0]
    expect(channel._id).toBe(channel.channelInternalId)
    expect(channel.path).toBe(`hubbub/chat/${channel._id}`)
    // Normally only the caller.
    expect(body.channelUsers).toHaveLength(1)
    expect(body.channelUsers[0]).toMatchObject({
      userId: 'alice',
      channelId: given.channelId,
      membership: 'member',
      roles: ['channel-moderator'],
      isBanned: false,
      isMuted: false,
      readToSegment: 0,
      lastMentionedSegment: 0,
    })
    expect(body.channelUsers[0].permissions).toContain('EDIT_CHANNEL')
    expect(body.users.map((user: { userId: string }) => user.userId)).toEqual(['alice'])
    expect(ok(await bob.get(channelPath(given.channelId))).channels[0]).toEqual(channel)
  })

  it('has a default message feed under its internal id', async () => {
    const channel = await createChannel(alice)
    const feed = ok(await alice.get(`/api/v5/message-feeds/${channel.channelInternalId}`)).messageFeeds[0]
    expect(feed).toMatchObject({ channelId: channel._id, channelPublicId: channel.channelId, childCount: 0 })
  })

  it('is public, of type community and unmuted unless told otherwise', async () => {
    expect(await createChannel(alice)).toMatchObject({ type: 'community', isPublic: true, isMuted: false })
    const muted = await createChannel(alice, { isMuted: true, type: 'live' })
    expect(muted).toMatchObject({ isMuted: true, muteTimeout: '9999-12-31T23:59:59.999Z' })
  })

  it.each([
    ['channelId of 100', { channelId: `a${long(99)}` }, { channelId: long(101) }],
    ['displayName of 100', { displayName: long(100) }, { displayName: long(101) }],
    ['10 tags', { tags: Array(10).fill('t') }, { tags: Array(11).fill('t') }],
    ['tag of 100', { tags: [long(100)] }, { tags: [long(101)] }],
    ['flag limit from 1', { autoDeleteMessageByFlagLimit: 1 }, { autoDeleteMessageByFlagLimit: 0 }],
    ['flag limit to 1000', { autoDeleteMessageByFlagLimit: 1000 }, { autoDeleteMessageByFlagLimit: 1001 }],
    ['notification mode', { notificationMode: 'subscribe' }, { notificationMode: 'loud' }],
    ['type', { type: 'broadcast' }, { type: 'conversation' }],
    ['metadata of 100 kB', { metadata: { a: long(99_000) } }, { metadata: { a: long(100_001) } }],
    ['1000 users', { userIds: Array(1000).fill('bob') }, { userIds: Array(1001).fill('bob') }],
  ])('takes %s and no more', async (_name, within, beyond) => {
    expect((await alice.post('/api/v3/channels', within)).status).toBe(200)
    expect(refusal(await alice.post('/api/v3/channels', beyond))).toEqual([422, 500000])
  })

  it('refuses what is not there, or is there already', async () => {
    expect(refusal(await alice.post('/api/v3/channels', { userIds: ['nobody'] }))).toEqual([404, 400400])
    expect(refusal(await alice.post('/api/v3/channels', { avatarFileId: 'nothing' }))).toEqual([404, 400400])
    await createChannel(alice, { channelId: 'taken' })
    expect(refusal(await bob.post('/api/v3/channels', { channelId: 'taken' }))).toEqual([409, 400315])
  })

  it.each([
    [{ postId: 'p' }, 422],
    [{ videoStreamId: 's' }, 422],
    [{ postId: 'p', videoStreamId: 's' }, 404],
    [{ postId: 'p', roomId: 'r' }, 404],
    [{ roomId: 'r' }, 404],
  ])('asks of %j what belongs together', async (attached, status) => {
    const answer = await alice.post('/api/v3/channels', { type: 'live', ...attached })
    expect(answer.status).toBe(status)
  })

  it('belongs to a live room', async () => {
    const { roomId, liveChannelId } = await createRoom(alice)
    const attached = { type: 'live', postId: 'p', roomId }
    expect(refusal(await alice.post('/api/v3/channels', attached))).toEqual([409, 400900])
    await alice.delete(channelPath(liveChannelId))
    const { body } = await alice.post('/api/v3/channels', attached)
    expect(body.channels[0].attachedTo).toEqual({ postId: 'p', roomId })
    expect((await bob.post('/api/v3/channels', attached)).status).toBe(403)
  })

  it('leaves one channel when two ask for one id at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => alice.post('/api/v3/channels', { channelId: 'raced' })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(7).fill(409)])
  })
})

describe('conversations', () => {
  it('are found again by their members, whoever asks, and show all of them', async () => {
    const made = ok(
      await alice.post('/api/v3/channels/conversation', { userIds: ['bob'], displayName: 'us' }),
    )
    expect(made.channels[0]).toMatchObject({
      type: 'conversation',
      isDistinct: true,
      isPublic: false,
      memberCount: 2,
    })
    expect(made.channelUsers.map((member: { userId: string }) => member.userId).sort()).toEqual([
      'alice',
      'bob',
    ])
    expect(memberOf(made, 'alice').roles).toEqual([])
    const again = await converse(bob, ['alice'])
    expect(again.channelId).toBe(made.channels[0].channelId)
    expect((await converse(alice, ['bob', 'carol'])).channelId).not.toBe(again.channelId)
    expect((await converse(alice, ['bob'], { isDistinct: false })).channelId).not.toBe(again.channelId)
  })

  it('are one when both sides begin at once', async () => {
    const users = await Promise.all(['dora', 'emil'].map((userId) => server.as(userId)))
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) => converse(users[i % 2]!, [i % 2 ? 'dora' : 'emil'])),
    )
    expect(new Set(made.map((channel) => channel.channelId)).size).toBe(1)
  })

  it('hold at most ten named people', async () => {
    const ten = Array.from({ length: 10 }, (_, i) => `friend-${i}`)
    await Promise.all(ten.map((userId) => server.as(userId)))
    expect((await alice.post('/api/v3/channels/conversation', { userIds: ten })).status).toBe(200)
    const eleven = [...ten, 'bob']
    expect(refusal(await alice.post('/api/v3/channels/conversation', { userIds: eleven }))).toEqual([
      422, 500000,
    ])
    expect((await alice.post('/api/v3/channels/conversation', { userIds: [] })).status).toBe(422)
  })

  it('are hidden from others, and their members are settled', async () => {
    const { channelId } = await converse(alice, ['bob'])
    expect(refusal(await carol.get(channelPath(channelId)))).toEqual([404, 400400])
    expect(refusal(await carol.post(channelPath(channelId, '/join')))).toEqual([404, 400400])
    expect(refusal(await alice.post(channelPath(channelId, '/users'), { userIds: ['carol'] }))).toEqual([
      403, 400300,
    ])
    expect(refusal(await bob.delete(channelPath(channelId, '/leave')))).toEqual([403, 400300])
    expect(refusal(await alice.put(channelPath(channelId, '/users/ban'), { userIds: ['bob'] }))).toEqual([
      403, 400300,
    ])
  })

  it('can be begun anew after their deletion', async () => {
    const first = await converse(bob, ['carol'])
    expect((await carol.delete(channelPath(first.channelId))).status).toBe(403)
    expect(ok(await bob.delete(channelPath(first.channelId)))).toMatchObject({ data: { success: true } })
    expect((await converse(carol, ['bob'])).channelId).not.toBe(first.channelId)
  })
})

describe('updating a channel', () => {
  it('changes what is given and nothing else', async () => {
    const before = await createChannel(alice, { displayName: 'old', tags: ['a'], metadata: { k: 1 } })
    const changes = {
      displayName: 'new',
      tags: ['b'],
      metadata: { k: 2 },
      messageAutoDeleteEnabled: true,
      autoDeleteMessageByFlagLimit: 5,
      notificationMode: 'silent',
    }
    const after = ok(await alice.put(channelPath(before.channelId), changes)).channels[0]
    expect(after).toMatchObject(changes)
    expect(
      ok(await alice.put(channelPath(before.channelId), { displayName: 'newer' })).channels[0],
    ).toMatchObject({
      ...changes,
      displayName: 'newer',
    })
  })

  it('is for moderators; in a conversation for everyone in it', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob'] })
    expect(refusal(await bob.put(channelPath(channelId), { displayName: 'x' }))).toEqual([403, 400301])
    expect(refusal(await carol.put(channelPath(channelId), { displayName: 'x' }))).toEqual([403, 400301])
    expect((await admin.put(channelPath(channelId), { displayName: 'x' })).status).toBe(200)
    const conversation = await converse(alice, ['bob'])
    expect((await bob.put(channelPath(conversation.channelId), { displayName: 'x' })).status).toBe(200)
    expect(refusal(await alice.put(channelPath('nowhere'), {}))).toEqual([404, 400400])
    expect((await alice.put(channelPath(channelId), { tags: Array(11).fill('t') })).status).toBe(422)
  })
})

describe('ending a channel', () => {
  it('closing ends writing and membership, and keeps what was said', async () => {
    const { channelId } = await createChannel(alice, { userIds: ['bob'] })
    await say(bob, channelId, 'before')
    expect(refusal(await bob.post(`/api/v2/channels/${channelId}/close`))).toEqual([403, 400301])
    const body = ok(await alice.post(`/api/v2/channels/${channelId}/close`))
    expect(body.channels[0]).toMatchObject({ isClosed: true, memberCount: 0, messageCount: 1 })
    expect(memberOf(body, 'alice').membership).toBe('none')
    const sending = await bob.post('/api/v3/messages', { channelId, data: { text: 'after' } })
    expect(refusal(sending)).toEqual([403, 400300])
    expect(refusal(await carol.post(channelPath(channelId, '/join')))).toEqual([403, 400300])
    expect(ok(await carol.get('/api/v3/messages', { channelId })).messages).toHaveLength(1)
    expect((await alice.post(`/api/v2/channels/${channelId}/close`)).status).toBe(403)
  })

  it('deleting leaves a channel that only says so', async () => {
    const { channelId, channelInternalId } = await createChannel(alice, { userIds: ['bob'] })
    await say(bob, channelId, 'gone')
    expect(refusal(await bob.delete(channelPath(channelId)))).toEqual([403, 400301])
    expect(ok(await alice.delete(channelPath(channelId)))).toMatchObject({
      status: 'success',
      data: { success: true },
    })
    const shown = ok(await bob.get(channelPath(channelId))).channels[0]
    expect(shown).toMatchObject({ isDeleted: true, deletedAt: expect.any(String) })
    for (const act of [
      () => bob.post('/api/v3/messages', { channelId, data: { text: 'x' } }),
      () => bob.get('/api/v5/messages', { messageFeedId: channelInternalId }),
      () => carol.post(channelPath(channelId, '/join')),
      () => alice.put(channelPath(channelId), { displayName: 'x' }),
      () => alice.delete(channelPath(channelId)),
    ])
      expect(refusal(await act())).toEqual([404, 400400])
    expect((await admin.get('/api/v5/messages', { messageFeedId: channelInternalId })).status).toBe(200)
  })

  it('archives conversations, at most a hundred of them', async () => {
    const owner = await server.as('archivist')
    const made = await Promise.all(
      Array.from({ length: 101 }, () => converse(owner, ['bob'], { isDistinct: false })),
    )
    const archived = await Promise.all(
      made.slice(0, 100).map((one) => owner.post(channelPath(one.channelId, '/archive'))),
    )
    expect(archived.every((answer) => answer.status === 200)).toBe(true)
    const last = channelPath(made[100].channelId, '/archive')
    expect(refusal(await owner.post(last))).toEqual([403, 400300])
    expect((await owner.delete(channelPath(made[0].channelId, '/archive'))).status).toBe(200)
    expect((await owner.post(last)).status).toBe(200)
    const list = async (query: object) =>
      ok(await owner.get('/api/v3/channels', { filter: 'member', options: { limit: 100 }, ...query }))
        .channels
    const open = await list({ excludeArchives: true })
    expect(open.map((one: { channelId: string }) => one.channelId)).toEqual([made[0].channelId])
    expect(await list({ isArchived: true })).toHaveLength(100)
    const { channelId } = await createChannel(owner)
    expect(refusal(await owner.post(channelPath(channelId, '/archive')))).toEqual([403, 400300])
    expect(refusal(await admin.post(last))).toEqual([403, 400301])
  })
})
