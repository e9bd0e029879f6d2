import { beforeAll, describe, expect, it } from 'vitest'
import {
  channelPath,
  converse,
  createChannel,
  memberOf,
  ok,
  refusal,
  say,
} from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { server, alice, bob, carol, admin } = await startWithPeople()

type Query = Record<string, unknown>
const names = (body: { channels: { displayName: string }[] }) => body.channels.map((one) => one.displayName)
const query = async (client: TestClient, asked: Query) => ok(await client.get('/api/v3/channels', asked))

describe('who sees which channel', () => {
  const kinds = ['public', 'private', 'live', 'private live', 'broadcast', 'conversation'] as const
  const made: Record<string, { channelId: string }> = {}
  beforeAll(async () => {
    const tags = ['seen']
    const fields = { userIds: ['bob'], tags }
    made.public = await createChannel(alice, { ...fields, displayName: 'public' })
    made.private = await createChannel(alice, { ...fields, displayName: 'private', isPublic: false })
    made.live = await createChannel(alice, { ...fields, displayName: 'live', type: 'live' })
    made['private live'] = await createChannel(alice, {
      ...fields,
      displayName: 'private live',
      type: 'live',
      isPublic: false,
    })
    made.broadcast = await createChannel(alice, { ...fields, displayName: 'broadcast', type: 'broadcast' })
    made.conversation = await converse(alice, ['bob'], { displayName: 'conversation', tags })
  })

  // By id, in lists, messages, joining.
  it.each([
    ['bob', ['public', 'private', 'live', 'private live', 'broadcast', 'conversation'], kinds],
    ['carol', ['public', 'live', 'broadcast'], ['public', 'broadcast']],
    ['admin', kinds, kinds],
  ] as const)('shows %s theirs', async (who, byId, listed) => {
    const client = await server.as(who)
    for (const kind of kinds) {
      const { status } = await client.get(channelPath(made[kind]!.channelId))
      expect([kind, status]).toEqual([kind, byId.includes(kind as never) ? 200 : 404])
      const messages = await client.get('/api/v3/messages', { channelId: made[kind]!.channelId })
      expect([kind, messages.status]).toEqual([kind, byId.includes(kind as never) ? 200 : 404])
    }
    const ids = kinds.map((kind) => made[kind]!.channelId)
    expect(names(ok(await client.get('/api/v3/channels/list', { channelIds: ids })))).toEqual(
      kinds.filter((kind) => byId.includes(kind as never)),
    )
    const found = names(await query(client, { tags: ['seen'], options: { limit: 100 } }))
    expect(found.toSorted()).toEqual([...listed].sort())
  })

  it('lets admins read conversations only if the network does', async () => {
    const channelId = made.conversation!.channelId
    await admin.put('/api/v3/network-settings/chat', { isAllowAdminViewConversationMessage: false })
    expect((await admin.get('/api/v3/messages', { channelId })).status).toBe(404)
    expect((await bob.get('/api/v3/messages', { channelId })).status).toBe(200)
    await admin.put('/api/v3/network-settings/chat', { isAllowAdminViewConversationMessage: true })
    expect((await admin.get('/api/v3/messages', { channelId })).status).toBe(200)
  })

  it('keeps the order asked for and leaves out the unknown and the repeated', async () => {
    const channelIds = [
      made.broadcast!.channelId,
      'unknown',
      made.public!.channelId,
      made.broadcast!.channelId,
    ]
    const body = ok(await bob.get('/api/v3/channels/list', { channelIds }))
    expect(names(body)).toEqual(['broadcast', 'public'])
    const many = { channelIds: Array(101).fill('x') }
    expect(refusal(await bob.get('/api/v3/channels/list', many))).toEqual([422, 500000])
  })
})

describe('querying channels', () => {
  let owner: TestClient
  beforeAll(async () => {
    owner = await server.as('librarian')
    await createChannel(owner, { displayName: 'Beta', tags: ['x', 'y'], channelId: 'q-beta' })
    await createChannel(owner, { displayName: 'alpha', tags: ['x'], type: 'broadcast', channelId: 'q-alpha' })
    await createChannel(owner, { displayName: 'Gamma 100%', tags: ['z'], type: 'live', channelId: 'q-gamma' })
    await createChannel(carol, { displayName: 'Delta', tags: ['x'], channelId: 'q-delta', userIds: ['bob'] })
    await say(owner, 'q-beta', 'the last activity')
  })
  const mine = { filter: 'member' }

  it.each([
    ['by activity', { ...mine }, ['Beta', 'Gamma 100%', 'alpha']],
    ['last created first', { ...mine, sortBy: 'lastCreated' }, ['Gamma 100%', 'alpha', 'Beta']],
    ['first created first', { ...mine, sortBy: 'firstCreated' }, ['Beta', 'alpha', 'Gamma 100%']],
    ['by name', { ...mine, sortBy: 'displayName' }, ['alpha', 'Beta', 'Gamma 100%']],
    ['of a type', { ...mine, types: ['live', 'broadcast'] }, ['Gamma 100%', 'alpha']],
    ['of types that are no more', { ...mine, types: ['standard'] }, []],
    ['with a tag', { ...mine, tags: ['x'] }, ['Beta', 'alpha']],
    ['without a tag', { ...mine, excludeTags: ['y', 'z'] }, ['alpha']],
    ['with a word in the name', { ...mine, keyword: 'ALPH' }, ['alpha']],
    ['with a percent sign', { ...mine, displayName: '0%' }, ['Gamma 100%']],
    ['without me', { filter: 'notMember', keyword: 'delta' }, ['Delta']],
    ['named twice, as clients do', { filter: 'member', membership: 'member', keyword: 'beta' }, ['Beta']],
    ['of somebody else', { userId: 'bob', filter: 'member', tags: ['x'] }, ['Delta']],
    ['deleted', { ...mine, isDeleted: true }, []],
  ])('%s', async (_name, asked, expected) => {
    expect(names(await query(owner, asked))).toEqual(expected)
  })

  it('finds those with flagged messages', async () => {
    const flagged = await say(owner, 'q-beta', 'flag me')
    await carol.post(`/api/v5/messages/${flagged.messageId}/flags`, { reason: 'Spam or scams' })
    expect(names(await query(owner, { filter: 'flagged', tags: ['x'] }))).toEqual(['Beta'])
  })

  it.each(['lastActivity', 'lastCreated', 'firstCreated', 'displayName'])(
    'pages by %s joined are the whole list',
    async (sortBy) => {
      const reader = await server.as('reader')
      const tag = `pages-${sortBy}`
      for (let i = 0; i < 7; i++)
        await createChannel(reader, { displayName: `n${i % 3} ${'x'.repeat(90)}`, tags: [tag] })
      const whole = await query(reader, { sortBy, tags: [tag], options: { limit: 100 } })
      const ids: string[] = []
      let options: Query = { limit: 3 }
      for (;;) {
        const page = await query(reader, { sortBy, tags: [tag], options })
        ids.push(...page.channels.map((one: { channelId: string }) => one.channelId))
        if (page.paging.next === undefined) break
        expect(page.paging.next.length).toBeLessThanOrEqual(100)
        options = { token: page.paging.next }
      }
      expect(ids).toEqual(whole.channels.map((one: { channelId: string }) => one.channelId))
      expect(ids).toHaveLength(7)
    },
  )

  it('refuses tokens of other lists and limits beyond the bound', async () => {
    const token = Buffer.from('{"limit":10,"after":["x","y","z"]}').toString('base64')
    expect(refusal(await owner.get('/api/v3/channels', { options: { token } }))).toEqual([400, 400000])
    expect(refusal(await owner.get('/api/v3/channels', { options: { limit: 101 } }))).toEqual([422, 500000])
  })

  it('shows with each channel its preview and the feed of that', async () => {
    const [channel] = (await query(owner, { ...mine, keyword: 'beta' })).channels
    const body = await query(owner, { ...mine, keyword: 'beta' })
    expect(body.messagePreviews).toMatchObject([
      { messageId: channel.messagePreviewId, channelPublicId: 'q-beta', isDeleted: false },
    ])
    expect(body.messageFeedsInfo).toMatchObject([
      { messageFeedId: channel.channelInternalId, messagePreviewId: channel.messagePreviewId },
    ])
    expect(memberOf(body, 'librarian').membership).toBe('member')
  })

  it('asks the database as often for one channel as for many', async () => {
    const cost = (limit: number) => countQueries(() => query(owner, { ...mine, options: { limit } }))
    expect(await cost(1)).toBeGreaterThan(3)
    expect(await cost(100)).toBe(await cost(1))
  })
})

describe('previews', () => {
  it('follow deletions and the settings of the network', async () => {
    const { channelId } = await createChannel(alice)
    const first = await say(alice, channelId, 'first')
    const second = await say(alice, channelId, 'second')
    const preview = async () => (await query(alice, { filter: 'member' })).channels[0].messagePreviewId
    expect(await preview()).toBe(second.messageId)
    await alice.delete(`/api/v5/messages/${second.messageId}`)
    expect(await preview()).toBe(first.messageId)
    await admin.put('/api/v3/network-settings/chat', {
      messagePreview: { enabled: true, isIncludeDeleted: true },
    })
    expect(await preview()).toBe(second.messageId)
    await admin.put('/api/v3/network-settings/chat', {
      messagePreview: { enabled: false, isIncludeDeleted: false },
    })
    expect(await preview()).toBeNull()
    const body = await query(alice, { filter: 'member' })
    expect([body.messagePreviews, body.messageFeedsInfo]).toEqual([[], []])
    await admin.put('/api/v3/network-settings/chat', {
      messagePreview: { enabled: true, isIncludeDeleted: false },
    })
  })
})

describe('searching channels', () => {
  beforeAll(async () => {
    for (const [displayName, fields] of [
      ['Garden', {}],
      ['garden tools', { tags: ['t'] }],
      ['My garden', { type: 'broadcast' }],
      ['Kitchen', {}],
    ] as const)
      await createChannel(bob, { displayName, ...fields })
    await createChannel(bob, { displayName: 'Secret garden', isPublic: false })
  })
  const search = async (client: TestClient, asked: Query) =>
    ok(await client.get('/api/v2/search/channels', asked))

  it.each([
    ['the best match first', { query: 'GARDEN' }, ['Garden', 'garden tools', 'My garden']],
    ['the whole name', { query: 'garden', exactMatch: true }, ['Garden']],
    ['of a type', { query: 'garden', types: ['broadcast'] }, ['My garden']],
    ['with a tag', { query: 'garden', tags: ['t'] }, ['garden tools']],
    [
      'by activity',
      { query: 'garden', options: { sortBy: 'lastActivity', orderBy: 'asc' } },
      ['Garden', 'garden tools', 'My garden'],
    ],
    ['of mine only', { query: 'garden', isMemberOnly: true }, []],
  ])('finds %s', async (_name, asked, expected) => {
    const body = await search(carol, asked)
    expect(names(body.data)).toEqual(expected)
    expect(names(body)).toEqual(expected)
    expect(body.data).toMatchObject({ totalCount: expected.length, search: { query: asked.query } })
  })

  it('pages through what it finds', async () => {
    const first = await search(bob, { query: 'garden', options: { limit: 3 } })
    const second = await search(bob, { query: 'garden', options: { token: first.data.paging.next } })
    expect([...names(first), ...names(second)]).toEqual([
      'Garden',
      'garden tools',
      'Secret garden',
      'My garden',
    ])
    expect(second.paging.next).toBeUndefined()
    expect(refusal(await bob.get('/api/v2/search/channels', {}))).toEqual([422, 500000])
  })
})
