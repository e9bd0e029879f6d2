import { describe, expect, it } from 'vitest'
import { channelPath, createChannel, memberOf, ok, refusal, say } from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { listen } from '../../../test/harness/listener.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { server, alice, bob, carol, admin } = await startWithPeople()

const ban = (client: TestClient, channelId: string, userIds: string[], act = 'ban') =>
  client.put(channelPath(channelId, `/users/${act}`), { userIds })
const group = (fields = {}) => createChannel(alice, { userIds: ['bob', 'carol'], ...fields })

describe('a ban', () => {
  it('ends the membership and takes back what was said', async () => {
    const { channelId, channelInternalId } = await group()
    const parent = await say(carol, channelId, 'stays')
    await say(bob, channelId, 'goes')
    await say(bob, channelId, 'goes too', { parentId: parent.messageId })
    const body = ok(await ban(alice, channelId, ['bob']))
    expect(body.channelUsers).toHaveLength(1)
    expect(memberOf(body, 'bob')).toMatchObject({ membership: 'banned', isBanned: true })
    expect(body.channels[0].memberCount).toBe(2)
    const { messages } = ok(await carol.get('/api/v3/messages', { channelId }))
    expect(messages).toMatchObject([
      { data: { text: 'stays' }, isDeleted: false, childrenNumber: 0 },
      { data: {}, isDeleted: true },
      { data: {}, isDeleted: true },
    ])
    const feed = ok(await carol.get(`/api/v5/message-feeds/${channelInternalId}`)).messageFeeds[0]
    expect(feed).toMatchObject({ childCount: 1, lastMessageId: parent.messageId })
  })

  it('keeps out: no reading, writing, joining, leaving, being added', async () => {
    const { channelId, channelInternalId } = await group()
    await ban(alice, channelId, ['bob'])
    expect(ok(await bob.get(channelPath(channelId))).channelUsers[0].membership).toBe('banned')
    for (const act of [
      () => bob.post('/api/v3/messages', { channelId, data: { text: 'x' } }),
      () => bob.get('/api/v3/messages', { channelId }),
      () => bob.get('/api/v5/messages', { messageFeedId: channelInternalId }),
      () => bob.post(channelPath(channelId, '/join')),
      () => bob.delete(channelPath(channelId, '/leave')),
    ])
      expect(refusal(await act())).toEqual([403, 400304])
    await alice.post(channelPath(channelId, '/users'), { userIds: ['bob'] })
    expect(ok(await bob.get(channelPath(channelId))).channelUsers[0].membership).toBe('banned')
  })

  it('reaches those who never were members', async () => {
    const { channelId } = await createChannel(alice)
    expect(memberOf(ok(await ban(alice, channelId, ['bob'])), 'bob').isBanned).toBe(true)
    expect(refusal(await bob.post(channelPath(channelId, '/join')))).toEqual([403, 400304])
    expect(ok(await alice.get(channelPath(channelId))).channels[0].memberCount).toBe(1)
  })

  it('is lifted without bringing anything back', async () => {
    const { channelId } = await group()
    const said = await say(bob, channelId, 'gone')
    await ban(alice, channelId, ['bob'])
    const lifted = ok(await ban(alice, channelId, ['bob'], 'unban'))
    expect(memberOf(lifted, 'bob')).toMatchObject({ membership: 'none', isBanned: false })
    expect(ok(await bob.get(`/api/v3/messages/${said.messageId}`)).messages[0].isDeleted).toBe(true)
    expect((await bob.post(channelPath(channelId, '/join'))).status).toBe(200)
  })

  it('is ended by removing the member, too', async () => {
    const { channelId } = await group()
    await ban(alice, channelId, ['bob'])
    await alice.delete(channelPath(channelId, '/users'), { userIds: ['bob'] })
    expect((await bob.post(channelPath(channelId, '/join'))).status).toBe(200)
  })

  it('is for moderators, and not of those who keep order in the network', async () => {
    const { channelId } = await group()
    expect(refusal(await ban(bob, channelId, ['carol']))).toEqual([403, 400301])
    expect(refusal(await ban(alice, channelId, ['admin']))).toEqual([403, 400306])
    expect(refusal(await ban(alice, channelId, ['alice']))).toEqual([400, 400000])
    expect(refusal(await ban(alice, channelId, ['who']))).toEqual([404, 400400])
    expect((await ban(alice, channelId, Array<string>(101).fill('bob'))).status).toBe(422)
    expect((await ban(admin, channelId, ['bob'])).status).toBe(200)
  })

  it('is told to the banned and to the members, and cuts off what was subscribed', async () => {
    const { channelId, path } = await group()
    const banned = await listen(server, bob)
    const watching = await listen(server, bob, [`${path}/#`])
    const member = await listen(server, carol)
    const said = await say(bob, channelId, 'x')
    await ban(alice, channelId, ['bob'])
    for (const inbox of [banned, member]) {
      const { data } = await inbox.next('channel.banned')
      expect(data.channels[0].channelId).toBe(channelId)
      expect(data.channelUsers).toMatchObject([{ userId: 'bob', membership: 'banned' }])
    }
    expect((await member.next('message.deleted')).data.messages[0].messageId).toBe(said.messageId)
    await say(carol, channelId, 'after')
    await member.next('message.created')
    await member.next('message.created')
    await server.settled()
    expect(banned.names().filter((name) => name === 'message.created')).toHaveLength(1)
    expect(watching.names().filter((name) => name === 'message.created')).toHaveLength(1)
    await ban(alice, channelId, ['bob'], 'unban')
    expect((await banned.next('channel.unbanned')).data.channelUsers[0].membership).toBe('none')
    for (const inbox of [banned, watching, member]) inbox.close()
  })

  it('and a message of the banned never end with the message standing', async () => {
    const { channelId } = await group()
    await Promise.all([
      ...Array.from({ length: 20 }, () => bob.post('/api/v3/messages', { channelId, data: { text: 'x' } })),
      ban(alice, channelId, ['bob']),
      ...Array.from({ length: 20 }, () => bob.post('/api/v3/messages', { channelId, data: { text: 'x' } })),
    ])
    const { messages } = ok(await carol.get('/api/v3/messages', { channelId, isDeleted: false }))
    expect(messages).toEqual([])
  })
})
