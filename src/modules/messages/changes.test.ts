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

// Bob speaks; alice moderates; carol is a plain member.
const group = (fields = {}) => createChannel(alice, { userIds: ['bob', 'carol'], ...fields })
const path = (id: string, rest = '', version = 'v5') =>
  `/api/${version}/messages/${encodeURIComponent(id)}${rest}`
const read = async (client: TestClient, id: string) => ok(await client.get(path(id))).messages[0]

describe('editing', () => {
  it('changes what is given, and says so', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'old', { tags: ['t'], metadata: { k: 1 } })
    const edited = ok(await bob.put(path(said.messageId), { data: { text: 'new' } })).messages[0]
    expect(edited).toMatchObject({ data: { text: 'new' }, tags: ['t'], metadata: { k: 1 }, segment: 1 })
    expect(edited.editedAt).toEqual(edited.updatedAt)
    const changes = { metadata: { k: 2 }, tags: ['u'], mentionees: [{ type: 'user', userIds: ['carol'] }] }
    const older = ok(await bob.put(path(said.messageId, '', 'v3'), changes)).messages[0]
    expect(older).toMatchObject({
      data: { text: 'new' },
      metadata: { k: 2 },
      tags: ['u'],
      mentionees: [{ type: 'user', userPublicIds: ['carol'], userInternalIds: [carol.id] }],
    })
    expect(memberOf(ok(await carol.get(channelPath(channelId))), 'carol').lastMentionedSegment).toBe(1)
    expect(await read(alice, said.messageId)).toMatchObject({
      mentionedUsers: [{ userPublicIds: ['carol'] }],
    })
  })

  it('is for authors who may still speak, and for moderators', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'x')
    const edit = (client: TestClient) => client.put(path(said.messageId), { data: { text: client.userId } })
    expect(refusal(await edit(carol))).toEqual([403, 400301])
    expect((await edit(alice)).status).toBe(200)
    expect((await edit(admin)).status).toBe(200)
    await alice.put(`/api/v2/channel/${channelId}/users/mute`, { userIds: ['bob'], mutePeriod: -1 })
    expect(refusal(await edit(bob))).toEqual([403, 400302])
    await bob.delete(channelPath(channelId, '/leave'))
    expect(refusal(await edit(bob))).toEqual([403, 400301])
  })

  it('is of words only', async () => {
    const { channelId } = await group()
    const fileId = await recordFile(server, bob)
    const image = ok(await bob.post('/api/v3/messages', { channelId, type: 'image', fileId })).messages[0]
    expect(refusal(await bob.put(path(image.messageId), { data: { caption: 'x' } }))).toEqual([400, 400000])
    expect(
      ok(await bob.put(path(image.messageId), { metadata: { a: 1 }, fileId: 'other' })).messages[0].fileId,
    ).toBe(fileId)
    const custom = await say(bob, channelId, 'x', { type: 'custom' })
    expect(ok(await bob.put(path(custom.messageId), { data: { any: [1] } })).messages[0].data).toEqual({
      any: [1],
    })
    const said = await say(bob, channelId, 'x')
    for (const [body, expected] of [
      [{ data: { text: 'x'.repeat(20_001) } }, [422, 500000]],
      [{ tags: Array(11).fill('t') }, [422, 500000]],
      [{ metadata: { a: 'x'.repeat(100_001) } }, [422, 500000]],
      [{ mentionedUsers: [{ userIds: ['who'] }] }, [404, 400400]],
    ] as const)
      expect(refusal(await bob.put(path(said.messageId), body))).toEqual(expected)
  })

  it('ends with deletion', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'x')
    await bob.delete(path(said.messageId))
    expect(refusal(await bob.put(path(said.messageId), { data: { text: 'y' } }))).toEqual([404, 400400])
    expect(refusal(await bob.put(path('unknown'), {}))).toEqual([404, 400400])
  })
})

describe('deleting', () => {
  it('takes back what was said and keeps its place', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'x', { metadata: { a: 1 } })
    const deleted = ok(await bob.delete(path(said.messageId))).messages[0]
    expect(deleted).toMatchObject({
      isDeleted: true,
      deletedAt: expect.any(String),
      data: {},
      metadata: {},
      segment: 1,
    })
    expect(await read(carol, said.messageId)).toEqual(deleted)
    expect(ok(await bob.delete(path(said.messageId))).messages[0]).toEqual(deleted)
    expect((await say(bob, channelId, 'next')).channelSegment).toBe(2)
  })

  it('in the older form only says that it worked', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'x', { messageId: 'older id' })
    expect(ok(await bob.delete(path('older id', '', 'v3')))).toMatchObject({
      status: 'success',
      data: { success: true },
    })
    expect((await read(bob, said._id)).isDeleted).toBe(true)
  })

  it('for good leaves nothing in the database', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'secret', { metadata: { a: 'secret' }, tags: ['secret'] })
    await bob.delete(`${path(said.messageId)}?permanent=true`)
    const row = await server.app.db
      .selectFrom('messages')
      .selectAll()
      .where('id', '=', said._id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain('secret')
  })

  it('is for authors and moderators; in conversations for admins if the network lets them', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'x')
    expect(refusal(await carol.delete(path(said.messageId)))).toEqual([403, 400301])
    expect((await alice.delete(path(said.messageId))).status).toBe(200)
    const conversation = await converse(bob, ['carol'])
    const private_ = await say(bob, conversation.channelId, 'x')
    expect(refusal(await carol.delete(path(private_.messageId)))).toEqual([403, 400301])
    expect(refusal(await alice.delete(path(private_.messageId)))).toEqual([404, 400400])
    await admin.put('/api/v3/network-settings/chat', { isAllowAdminManageConversationMessage: false })
    expect(refusal(await admin.delete(path(private_.messageId)))).toEqual([403, 400301])
    await admin.put('/api/v3/network-settings/chat', { isAllowAdminManageConversationMessage: true })
    expect((await admin.delete(path(private_.messageId))).status).toBe(200)
  })

  it('counts once, however often it is asked for at once', async () => {
    const { channelId, channelInternalId } = await group()
    const parent = await say(bob, channelId, 'parent')
    const reply = await sayIn(bob, channelInternalId, 'reply', { parentId: parent.messageId })
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => [alice, bob][i % 2]!.delete(path(reply.messageId))),
    )
    expect((await read(bob, parent.messageId)).childCount).toBe(0)
    expect(ok(await bob.get(`/api/v5/message-feeds/${channelInternalId}`)).messageFeeds[0].childCount).toBe(1)
  })
})

describe('flags', () => {
  const flag = (client: TestClient, id: string, body?: object) => client.post(path(id, '/flags'), body)

  it('are one for each user, with a reason, and shown in count and filter', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'x')
    const flagged = ok(await flag(carol, said.messageId, { reason: 'Others', detail: 'my reason' }))
      .messages[0]
    expect(flagged).toMatchObject({ flagCount: 1, hashFlag: { bits: 1024, hashes: 7 } })
    expect(ok(await flag(carol, said.messageId)).messages[0].flagCount).toBe(1)
    expect(ok(await alice.post(path(said.messageId, '/flag', 'v3'))).messages[0].flagCount).toBe(2)
    expect(ok(await carol.get(path(said.messageId, '/flags')))).toMatchObject({ result: true })
    expect(ok(await bob.get(path(said.messageId, '/isFlaggedByMe', 'v3')))).toMatchObject({
      data: { result: false },
    })
    const stored = await server.app.db
      .selectFrom('flags')
      .selectAll()
      .where('referenceId', '=', said._id)
      .execute()
    expect(stored.find((row) => row.userId === carol.id)).toMatchObject({
      reason: 'Others',
      detail: 'my reason',
    })
  })

  it('are taken back by who flagged, and cleared by moderators', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'x')
    for (const client of [alice, carol]) await flag(client, said.messageId)
    expect(ok(await carol.delete(path(said.messageId, '/flags'))).messages[0].flagCount).toBe(1)
    expect(ok(await carol.delete(path(said.messageId, '/unflag', 'v3'))).messages[0].flagCount).toBe(1)
    expect(ok(await carol.get(path(said.messageId, '/flags'))).result).toBe(false)
    expect(refusal(await bob.delete(path(said.messageId, '/flags/all')))).toEqual([403, 400301])
    expect(ok(await alice.delete(path(said.messageId, '/flags/all'))).messages[0]).toMatchObject({
      flagCount: 0,
      hashFlag: null,
    })
    await flag(carol, said.messageId)
    expect(ok(await admin.delete(path(said.messageId, '/clearFlags', 'v3'))).messages[0].flagCount).toBe(0)
  })

  it('are refused of what is gone or hidden, and bounded', async () => {
    const { channelId } = await group({ isPublic: false })
    const said = await say(bob, channelId, 'x')
    const stranger = await server.as('stranger')
    expect(refusal(await flag(stranger, said.messageId))).toEqual([404, 400400])
    expect((await flag(carol, said.messageId, { detail: 'x'.repeat(301) })).status).toBe(422)
    await bob.delete(path(said.messageId))
    expect(refusal(await flag(carol, said.messageId))).toEqual([404, 400400])
  })

  it('delete a message when there are enough, where the channel says so', async () => {
    const { channelId } = await group({ messageAutoDeleteEnabled: true, autoDeleteMessageByFlagLimit: 2 })
    const said = await say(bob, channelId, 'x')
    await Promise.all([flag(carol, said.messageId), flag(carol, said.messageId)])
    expect((await read(bob, said.messageId)).isDeleted).toBe(false)
    expect(ok(await flag(alice, said.messageId)).messages[0]).toMatchObject({ isDeleted: true, flagCount: 2 })
    await alice.put(channelPath(channelId), { messageAutoDeleteEnabled: false })
    const spared = await say(bob, channelId, 'y')
    for (const client of [alice, carol]) await flag(client, spared.messageId)
    expect((await read(bob, spared.messageId)).isDeleted).toBe(false)
  })

  it('count right when many flag at once', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, (_, i) => server.as(`flagger-${i}`)))
    const { channelId } = await createChannel(alice)
    const said = await say(alice, channelId, 'x')
    await Promise.all(people.flatMap((one) => [flag(one, said.messageId), flag(one, said.messageId)]))
    expect((await read(alice, said.messageId)).flagCount).toBe(10)
  })
})

describe('reactions', () => {
  const react = (client: TestClient, referenceId: string, reactionName = 'like', version = 5) =>
    client.post('/api/v2/reactions', {
      referenceId,
      referenceType: 'message',
      reactionName,
      referenceVersion: version,
    })

  it('are counted, known as mine, and the latest is told', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'x', { messageId: 'react to me' })
    expect(ok(await react(carol, 'react to me'))).toHaveProperty('addedId')
    await react(carol, said._id, 'love')
    await react(alice, said._id)
    await react(alice, said._id)
    const seen = ok(await carol.get(path('react to me', '', 'v3'))).messages[0]
    expect(seen).toMatchObject({
      reactions: { like: 2, love: 1 },
      reactionsCount: 3,
      myReactions: ['like', 'love'],
      latestReaction: {
        referenceId: 'react to me',
        referenceType: 'message',
        reactionName: 'like',
        userId: 'alice',
        userDisplayName: 'alice',
        eventName: 'message.reactionAdded',
      },
    })
    await carol.delete('/api/v2/reactions', {
      referenceId: said._id,
      referenceType: 'message',
      reactionName: 'love',
    })
    const after = ok(await carol.get(path('react to me', '', 'v3'))).messages[0]
    expect(after).toMatchObject({ reactions: { like: 2 }, reactionsCount: 2, myReactions: ['like'] })
    expect(after.latestReaction).toMatchObject({ reactionName: 'love', eventName: 'message.reactionRemoved' })
  })

  it('are for those in the channel, of what is there', async () => {
    const { channelId } = await group({ type: 'broadcast' })
    const said = await say(alice, channelId, 'x')
    expect((await react(bob, said.messageId)).status).toBe(200)
    expect(refusal(await react(await server.as('passer-by'), said.messageId))).toEqual([403, 400301])
    await alice.delete(path(said.messageId))
    expect(refusal(await react(bob, said.messageId, 'love'))).toEqual([404, 400400])
    expect(refusal(await react(bob, 'unknown'))).toEqual([404, 400400])
  })

  it('add up when many come at once', async () => {
    const { channelId } = await group()
    const said = await say(alice, channelId, 'x')
    await Promise.all(
      [alice, bob, carol].flatMap((one) =>
        ['a', 'b', 'c', 'd'].map((name) => react(one, said.messageId, name)),
      ),
    )
    expect(await read(alice, said.messageId)).toMatchObject({
      reactionCount: 12,
      reactions: { a: 3, b: 3, c: 3, d: 3 },
    })
  })
})
