import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestServer } from '../harness/server.ts'
import { closeSdkClients, openSdkClient, type SdkClient } from './client.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 60_000 })

type Live<T> = { data: T; loading: boolean; error?: unknown }
type Messages = Live<Amity.Message[]>

/** Chat as both published clients use it; each step builds on the ones before. */
describe.each(['6.35', '7.20'] as const)('chat with the %s client', (version) => {
  let server: Awaited<ReturnType<typeof startTestServer>>
  let alice: SdkClient<'7.20'>
  let bob: SdkClient<'7.20'>
  let channelId: string
  let feedId: string

  beforeAll(async () => {
    server = await startTestServer()
    // What is used here is the same in both, so the types of the newer one serve.
    const at = {
      version: version as '7.20',
      apiKey: server.apiKey,
      httpUrl: server.url,
      mqttUrl: server.mqttUrl,
    }
    ;[alice, bob] = await Promise.all([openSdkClient(at), openSdkClient(at)])
    await Promise.all([alice.login({ userId: 'alice' }), bob.login({ userId: 'bob' }), server.as('carol')])
  })

  afterAll(async () => {
    await closeSdkClients(alice, bob).finally(() => server?.close())
  })

  test('a channel made with someone appears in their list, live', async () => {
    await bob.run(({ sdk, emit, state }) => {
      const query = { membership: 'member', sortBy: 'lastActivity' } as const
      state.channels = sdk.ChannelRepository.getChannels(query, ({ data, loading }) =>
        emit('channels', { loading, data: data.map((channel) => channel.displayName) }),
      )
    })
    await bob.until<Live<string[]>>('channels', ({ loading }) => !loading)
    const made = await alice.run(async ({ sdk }) => {
      const { data } = await sdk.ChannelRepository.createChannel({
        type: 'community',
        displayName: 'Owls',
        userIds: ['bob'],
        tags: ['night'],
        metadata: { size: { wing: 1.5 } },
        isPublic: true,
      })
      return { ...data }
    })
    expect(made).toMatchObject({
      displayName: 'Owls',
      memberCount: 2,
      tags: ['night'],
      metadata: { size: { wing: 1.5 } },
    })
    channelId = made.channelId
    feedId = made.defaultSubChannelId
    await bob.until<Live<string[]>>('channels', ({ data }) => data.includes('Owls'))
  })

  test('it is changed, muted and spoken in again', async () => {
    const seen = await alice.run(async ({ sdk }, id) => {
      const { data } = await sdk.ChannelRepository.updateChannel(id, { displayName: 'Owls only' })
      const muted = await sdk.ChannelRepository.muteChannel(id, 60_000)
      return { name: data.displayName, muted }
    }, channelId)
    expect(seen).toEqual({ name: 'Owls only', muted: true })
    const said = await bob.run(
      ({ sdk }, id) =>
        sdk.MessageRepository.createMessage({ subChannelId: id, dataType: 'text', data: { text: 'x' } }).then(
          () => 'sent',
          (error: { code: number }) => error.code,
        ),
      feedId,
    )
    expect(said).toBe(400303)
    expect(await alice.run(({ sdk }, id) => sdk.ChannelRepository.unmuteChannel(id), channelId)).toBe(true)
    await bob.until<Live<string[]>>('channels', ({ data }) => data.includes('Owls only'))
  })

  test('members are added, found, promoted, muted, banned and removed', async () => {
    const members = await alice.run(async ({ sdk }, id) => {
      const { Membership, Moderation } = sdk.ChannelRepository
      const added = await Membership.addMembers(id, ['carol'])
      const list = (size: number, search?: string) =>
        new Promise<string[]>((resolve) => {
          const answer = ({ data, loading }: { data: { userId: string }[]; loading: boolean }) => {
            if (!loading && data.length === size) resolve(data.map((member) => member.userId).sort())
          }
          if (search === undefined) Membership.getMembers({ channelId: id, limit: 10 }, answer)
          else Membership.searchMembers({ channelId: id, search, limit: 10 }, answer)
        })
      const all = await list(3)
      const found = await list(1, 'car')
      await Moderation.addRole(id, 'channel-moderator', ['carol'])
      await Moderation.removeRole(id, 'channel-moderator', ['carol'])
      const muted = await Moderation.muteMembers(id, ['carol'], 60)
      const unmuted = await Moderation.unmuteMembers(id, ['carol'])
      const banned = (await Moderation.banMembers(id, ['carol'])).data.map((member) => member.userId)
      const unbanned = (await Moderation.unbanMembers(id, ['carol'])).data.map((member) => member.membership)
      await Membership.addMembers(id, ['carol'])
      const removed = await Membership.removeMembers(id, ['carol'])
      return { added, all, found, muted, unmuted, banned, unbanned, removed, left: await list(2) }
    }, channelId)
    expect(members).toEqual({
      added: true,
      all: ['alice', 'bob', 'carol'],
      found: ['carol'],
      muted: true,
      unmuted: true,
      banned: ['carol'],
      // The client looks for members among those whose ban is lifted; that makes nobody one.
      unbanned: [],
      removed: true,
      left: ['alice', 'bob'],
    })
  })

  test('messages, replies, edits, reactions and deletions are seen live', async () => {
    await bob.run(({ sdk, emit, state }, id) => {
      const query = { subChannelId: id, sortBy: 'segmentAsc', includeDeleted: true } as const
      state.list = sdk.MessageRepository.getMessages(query, (page) => emit('messages', page))
    }, feedId)
    await bob.until<Messages>('messages', ({ loading }) => !loading)
    const ids = await alice.run(async ({ sdk }, id) => {
      const { MessageRepository, ReactionRepository } = sdk
      const { data: parent } = await MessageRepository.createMessage({
        subChannelId: id,
        dataType: 'text',
        data: { text: 'Look, @bob' },
        tags: ['sighting'],
        metadata: { at: 7 },
        mentionees: [{ type: 'user', userIds: ['bob'] }, { type: 'channel' }],
      })
      const { data: reply } = await MessageRepository.createMessage({
        subChannelId: id,
        dataType: 'custom',
        data: { anything: [1] },
        parentId: parent.messageId,
      })
      await MessageRepository.editMessage(parent.messageId, { data: { text: 'Look there, @bob' } })
      await ReactionRepository.addReaction('message', parent.messageId, 'love')
      await MessageRepository.softDeleteMessage(reply.messageId)
      return [parent.messageId, reply.messageId]
    }, feedId)
    const page = await bob.until<Messages>(
      'messages',
      ({ data }) =>
        data.length === 2 &&
        (data[1]!.isDeleted ?? false) &&
        data[0]!.reactionsCount === 1 &&
        data[0]!.editedAt !== null,
    )
    expect(page.data).toMatchObject([
      {
        messageId: ids[0],
        creatorId: 'alice',
        data: { text: 'Look there, @bob' },
        tags: ['sighting'],
        metadata: { at: 7 },
        mentionees: [{ type: 'user', userIds: ['bob'] }, { type: 'channel' }],
        reactions: { love: 1 },
        channelSegment: 1,
      },
      { messageId: ids[1], parentId: ids[0], isDeleted: true, channelSegment: 2 },
    ])

    const flags = await bob.run(async ({ sdk }, id) => {
      const { MessageRepository } = sdk
      const flagged = await MessageRepository.flagMessage(id)
      const mine = await MessageRepository.isMessageFlaggedByMe(id)
      const unflagged = await MessageRepository.unflagMessage(id)
      return [flagged, mine, unflagged, await MessageRepository.isMessageFlaggedByMe(id)]
    }, ids[0]!)
    expect(flags).toEqual([true, true, true, false])
  })

  test('a message is found again with what is around it', async () => {
    await bob.run(async ({ sdk, emit, state }, id) => {
      const { MessageRepository } = sdk
      const sent: string[] = []
      for (let i = 0; i < 7; i++) {
        const { data } = await MessageRepository.createMessage({
          subChannelId: id,
          dataType: 'text',
          data: { text: `${i}` },
        })
        sent.push(data.messageId)
      }
      state.around = MessageRepository.getMessages(
        { subChannelId: id, aroundMessageId: sent[3]!, limit: 3, sortBy: 'segmentAsc' },
        ({ data, loading }) =>
          emit('around', { loading, data: data.map((message) => (message.data as { text: string }).text) }),
      )
    }, feedId)
    await bob.until<Live<string[]>>('around', ({ data, loading }) => !loading && data.join() === '2,3,4')
  })

  test('sub-channels come and go', async () => {
    const names = await alice.run(async ({ sdk }, id) => {
      const { SubChannelRepository } = sdk
      const { data: made } = await SubChannelRepository.createSubChannel({
        channelId: id,
        displayName: 'Barn owls',
      })
      await SubChannelRepository.updateSubChannel(made.subChannelId, { displayName: 'Barn owls only' })
      const list = () =>
        new Promise<string[]>((resolve) =>
          SubChannelRepository.getSubChannels(
            { channelId: id, limit: 10, excludeDefaultSubChannel: true },
            (page) => {
              if (!page.loading) resolve(page.data.map((one) => one.displayName))
            },
          ),
        )
      const before = await list()
      await SubChannelRepository.deleteSubChannel(made.subChannelId, false)
      return { before, after: await list() }
    }, feedId)
    expect(names).toEqual({ before: ['Barn owls only'], after: [] })
  })

  test('a conversation is the same from both sides, and heard without asking', async () => {
    const start = ({ sdk }: Parameters<Parameters<typeof alice.run>[0]>[0], userId: string) =>
      sdk.ChannelRepository.createChannel({ type: 'conversation', userIds: [userId] }).then(({ data }) => ({
        channelId: data.channelId,
        feedId: data.defaultSubChannelId,
      }))
    const [one, other] = [await alice.run(start, 'bob'), await bob.run(start, 'alice')]
    expect(one).toEqual(other)
    await bob.run(({ sdk, emit, state }) => {
      state.raw = sdk.MessageRepository.onMessageCreatedMqtt((message) => emit('raw', message))
    })
    await alice.run(
      ({ sdk }, id) =>
        sdk.MessageRepository.createMessage({
          subChannelId: id,
          dataType: 'text',
          data: { text: 'psst' },
        }).then(() => 1),
      one.feedId,
    )
    await bob.until<Amity.Message>('raw', (message) => (message.data as { text: string }).text === 'psst')
  })

  test('leaving and deleting', async () => {
    expect(await bob.run(({ sdk }, id) => sdk.ChannelRepository.leaveChannel(id), channelId)).toBe(true)
    const deleted = await alice.run(async ({ sdk }, id) => {
      const channel = await sdk.ChannelRepository.deleteChannel(id)
      return channel.isDeleted
    }, channelId)
    expect(deleted).toBe(true)
  })
})
