import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, path as communityPath, privacies } from '../../../test/factories/communities.ts'
import { createEvent, eventBody, inHours, path, queryEvents } from '../../../test/factories/events.ts'
import { recordFile } from '../../../test/factories/files.ts'
import { block, follow, setSocial, unblock } from '../../../test/factories/follows.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import { listen } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { setClock } from '../../platform/clock.ts'

let server: TestServer
let mia: TestClient
let alice: TestClient
let bob: TestClient
let communityId: string
beforeAll(async () => {
  server = await startTestServer()
  ;[mia, alice, bob] = (await Promise.all(['mia', 'alice', 'bob'].map((name) => server.as(name)))) as [
    TestClient,
    TestClient,
    TestClient,
  ]
  communityId = (await createCommunity(mia, { userIds: ['alice'] })).communityId
})
afterEach(() => setClock())
afterAll(() => server.close())

const post = (client: TestClient, fields: object = {}, originId = communityId) =>
  client.post('/api/v1/events', eventBody(originId, { ...fields }))
const read = async (client: TestClient, eventId: string) => (await client.get(path(eventId))).body.events?.[0]
const codeOf = ({ body, status }: { body: { code?: number }; status: number }) => body.code ?? status

describe('creation', () => {
  it('makes an event, and a community to talk about it', async () => {
    const coverImageFileId = await recordFile(server, mia)
    const fields = {
      title: 'Walk',
      description: 'Along the river',
      type: 'virtual',
      startTime: inHours(1),
      endTime: inHours(2),
      coverImageFileId,
      location: 'The bridge',
      externalUrl: 'https://example.com/walk',
      tags: ['river'],
      metadata: { timezone: 'Europe/Berlin' },
    }
    const { status, body } = await post(mia, fields)
    expect(status).toBe(200)
    const [event] = body.events
    expect(event).toMatchObject({
      ...fields,
      publicId: event.eventId,
      userId: 'mia',
      userPublicId: 'mia',
      userInternalId: mia.id,
      status: 'scheduled',
      originType: 'community',
      originId: communityId,
      isOriginPublic: true,
      postId: null,
      rsvpCount: 0,
      interestedCount: 0,
      isDeleted: false,
      deletedAt: null,
    })
    expect(body).toMatchObject({
      users: [{ userId: 'mia' }],
      files: [{ fileId: coverImageFileId }],
      rooms: [],
    })
    const shown = body.communities.map((community: { communityId: string }) => community.communityId)
    expect(shown.sort()).toEqual([communityId, event.discussionCommunityId].sort())
    const discussion = (await mia.get(communityPath(event.discussionCommunityId))).body.communities[0]
    expect(discussion).toMatchObject({
      eventId: event.eventId,
      type: 'event',
      displayName: 'Walk',
      isJoined: true,
    })
    // It belongs to its event: no list of communities has it.
    const listed = (await mia.get('/api/v3/communities', { options: { limit: 100 } })).body.communities
    expect(listed.map((one: { communityId: string }) => one.communityId)).not.toContain(
      discussion.communityId,
    )
    expect(await read(bob, event.eventId)).toEqual(event)
  })

  it('gives an hour to what has no end', async () => {
    const { startTime, endTime } = await createEvent(mia, communityId, { endTime: undefined })
    expect(Date.parse(endTime) - Date.parse(startTime)).toBe(3_600_000)
  })

  const long = (n: number) => 'x'.repeat(n)
  it.each<[what: string, fields: () => Promise<object> | object, code: number]>([
    ['no title', () => ({ title: undefined }), 500000],
    ['an empty title', () => ({ title: '' }), 500000],
    ['a title of 61', () => ({ title: long(61) }), 500000],
    ['a title of 60', () => ({ title: long(60) }), 200],
    ['a description of 1001', () => ({ description: long(1001) }), 500000],
    ['a description of 1000', () => ({ description: long(1000) }), 200],
    ['a location of 101', () => ({ location: long(101) }), 500000],
    ['a location of 100', () => ({ location: long(100) }), 200],
    ['an address of 201', () => ({ externalUrl: long(201) }), 500000],
    ['an address of 200', () => ({ externalUrl: long(200) }), 200],
    ['11 tags', () => ({ tags: Array(11).fill('t') }), 500000],
    ['10 tags', () => ({ tags: Array(10).fill('t') }), 200],
    ['over 20 KB of metadata', () => ({ metadata: { m: long(20_000) } }), 500000],
    ['an unknown type', () => ({ type: 'hybrid' }), 500000],
    ['no start', () => ({ startTime: undefined }), 500000],
    ['a start that is no time', () => ({ startTime: 'tomorrow' }), 500000],
    ['a time that is none', () => ({ endTime: '2999-12-31T23:59:60Z' }), 500000],
    ['a time before 1970', () => ({ startTime: '1969-12-31T23:59:59Z' }), 500000],
    ['a time after 9999', () => ({ startTime: '9999-12-31T23:59:59Z', endTime: undefined }), 500000],
    ['an end before the start', () => ({ endTime: inHours(23) }), 500000],
    ['what is over', () => ({ startTime: inHours(-3), endTime: inHours(-2) }), 400000],
    ['what goes on', () => ({ startTime: inHours(-1) }), 200],
    ['an unknown origin type', () => ({ originType: 'content' }), 500000],
    ['an unknown community', () => ({ originId: 'nowhere' }), 400400],
    ["another's page", () => ({ originType: 'user', originId: 'alice' }), 400301],
    ['an unknown picture', () => ({ coverImageFileId: 'nobodys' }), 400400],
    ['a video for a picture', async () => ({ coverImageFileId: await recordFile(server, mia, 'video') }), 400000],
  ])('of %s', async (_what, fields, code) => {
    expect(codeOf(await post(mia, await fields()))).toBe(code)
  }) // prettier-ignore

  it('is for those who may in the community', async () => {
    expect(codeOf(await post(alice))).toBe(400301)
    expect(codeOf(await post(bob))).toBe(400301)
    expect(codeOf(await post(await server.asAdmin()))).toBe(200)
    const hidden = await createCommunity(mia, { isPublic: false })
    expect(codeOf(await post(bob, {}, hidden.communityId))).toBe(400400)
    expect(codeOf(await post(bob, { originType: 'user' }, 'bob'))).toBe(200)
  })

  it('judges words', async () => {
    await (await server.asAdmin()).post('/api/v3/blocklists', { regexs: ['awful'] })
    expect(codeOf(await post(mia, { title: 'awful' }))).toBe(400308)
    const { eventId } = await createEvent(mia, communityId)
    expect(codeOf(await mia.put(path(eventId), { location: 'awful' }))).toBe(400308)
  })
})

describe('an event', () => {
  it('is to come, goes on and is over by the clock', async () => {
    const { eventId } = await createEvent(mia, communityId, { startTime: inHours(1), endTime: inHours(2) })
    const start = Date.now()
    const status = async (hours: number) => {
      setClock(() => start + hours * 3_600_000)
      const { status } = await read(bob, eventId)
      const listed = (await queryEvents(bob, { originId: communityId, status, options: { limit: 100 } })).ids
      return listed.includes(eventId) ? status : `not listed as ${status}`
    }
    expect([await status(0.9), await status(1.5), await status(2.1)]).toEqual(['scheduled', 'live', 'ended'])
    expect(codeOf(await mia.put(path(eventId), { title: 'Late' }))).toBe(400900)
    setClock(() => start + 1.5 * 3_600_000)
    expect(codeOf(await mia.put(path(eventId), { startTime: inHours(1.7) }))).toBe(400900)
    expect(codeOf(await mia.put(path(eventId), { endTime: inHours(3) }))).toBe(200)
    expect(codeOf(await mia.put(path(eventId), { status: 'cancelled' }))).toBe(200)
    expect((await read(bob, eventId)).status).toBe('cancelled')
    expect(codeOf(await mia.put(path(eventId), { title: 'Again' }))).toBe(400900)
    setClock(() => start + 5 * 3_600_000)
    expect(await status(5)).toBe('cancelled')
  })

  it('changes in what is given only', async () => {
    const before = await createEvent(mia, communityId, { location: 'Here', tags: ['a'] })
    const { body } = await mia.put(path(before.eventId), { title: 'New', location: null, userId: 'bob' })
    const { updatedAt, ...after } = body.events[0]
    expect({ ...after, updatedAt: before.updatedAt }).toEqual({ ...before, title: 'New', location: null })
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt))
    expect(codeOf(await mia.put(path(before.eventId), { endTime: inHours(1) }))).toBe(500000)
    expect(codeOf(await mia.put(path(before.eventId), { title: 'x'.repeat(61) }))).toBe(500000)
    expect(codeOf(await alice.put(path(before.eventId), { title: 'Mine' }))).toBe(400301)
    expect(codeOf(await mia.put(path('nope'), { title: 'x' }))).toBe(400400)
    const admin = await server.asAdmin()
    expect(codeOf(await admin.put(path(before.eventId), { title: 'Staff' }))).toBe(200)
  })

  it('goes with its discussion', async () => {
    const { eventId, discussionCommunityId } = await createEvent(mia, communityId)
    expect(codeOf(await alice.delete(path(eventId)))).toBe(400301)
    expect((await mia.delete(path(eventId))).body).toEqual({ success: true })
    expect(codeOf(await mia.get(path(eventId)))).toBe(400400)
    expect(codeOf(await mia.delete(path(eventId)))).toBe(400400)
    expect((await mia.get(communityPath(discussionCommunityId))).body.communities[0].isDeleted).toBe(true)
    expect((await queryEvents(mia, { originId: communityId, options: { limit: 100 } })).ids).not.toContain(
      eventId,
    )
    const other = await createEvent(mia, communityId)
    const moderator = { roles: ['community-moderator'], userIds: ['alice'] }
    await mia.post(communityPath(communityId, '/users/roles', 'v4'), moderator)
    expect((await alice.delete(path(other.eventId))).status).toBe(200)
    const discussion = (await mia.get(communityPath(other.discussionCommunityId))).body.communities[0]
    expect(discussion.isDeleted).toBe(true)
    await mia.delete(communityPath(communityId, '/users/roles', 'v4'), moderator)
  })

  it('is told of at its community', async () => {
    const listener = await listen(server, alice, [`hubbub/social/community/${communityId}`])
    const { eventId } = await createEvent(mia, communityId)
    await mia.put(path(eventId), { title: 'New' })
    await mia.put(path(eventId), { status: 'cancelled' })
    await mia.delete(path(eventId))
    const created = await listener.next('event.created')
    expect(Object.keys(created.data).sort()).toEqual([
      'communities',
      'events',
      'files',
      'posts',
      'rooms',
      'users',
    ])
    expect(created.data).toMatchObject({ events: [{ eventId }], users: [{ userId: 'mia' }] })
    expect((await listener.next('event.updated')).data.events[0].title).toBe('New')
    expect((await listener.next('event.cancelled')).data.events[0].eventId).toBe(eventId)
    expect((await listener.next('event.deleted')).data.events[0].isDeleted).toBe(true)
    listener.close()
  })
})

describe('who reads an event', () => {
  it.each([
    ['public', 200, 200],
    ['discoverable', 400400, 200],
    ['hidden', 400400, 200],
  ] as const)('of a %s community', async (kind, outside, inside) => {
    const { communityId: originId } = await createCommunity(mia, { ...privacies[kind], userIds: ['alice'] })
    const { eventId, isOriginPublic } = await createEvent(mia, originId)
    expect(isOriginPublic).toBe(kind === 'public')
    expect([codeOf(await bob.get(path(eventId))), codeOf(await alice.get(path(eventId)))]).toEqual([
      outside,
      inside,
    ])
    expect((await queryEvents(bob, { originId })).ids).toEqual(outside === 200 ? [eventId] : [])
    expect((await queryEvents(alice, { originId })).ids).toEqual([eventId])
    expect(codeOf(await bob.get(path(eventId, '/rsvp')))).toBe(outside)
    await mia.delete(communityPath(originId))
    expect(codeOf(await alice.get(path(eventId)))).toBe(400400)
    expect((await queryEvents(alice, { originId })).ids).toEqual([])
  })

  it('of a person', async () => {
    const event = await createEvent(alice, 'alice', { originType: 'user' })
    expect(event).toMatchObject({ originType: 'user', originId: 'alice', isOriginPublic: true })
    const ids = async (client: TestClient) =>
      (await queryEvents(client, { originType: 'user', originId: 'alice' })).ids
    expect(await ids(bob)).toEqual([event.eventId])
    await block(alice, 'bob')
    expect([await ids(bob), codeOf(await bob.get(path(event.eventId)))]).toEqual([[], 400400])
    await unblock(alice, 'bob')
    await setSocial(server, { userPrivacySetting: 'private' })
    expect([await ids(bob), codeOf(await bob.get(path(event.eventId)))]).toEqual([[], 400400])
    await follow(bob, 'alice')
    expect(await ids(bob)).toEqual([event.eventId])
    expect((await read(bob, event.eventId)).isOriginPublic).toBe(false)
    await setSocial(server, { userPrivacySetting: 'public' })
  })
})

describe('lists', () => {
  it('filter and sort, in pages that join', async () => {
    const { communityId: originId } = await createCommunity(mia, { userIds: ['alice'] })
    await mia.post(communityPath(originId, '/users/roles', 'v4'), {
      roles: ['community-moderator'],
      userIds: ['alice'],
    })
    const make = (client: TestClient, hours: number, type: string) =>
      createEvent(client, originId, { startTime: inHours(hours), endTime: inHours(hours + 1), type })
    const later = (await make(mia, 30, 'virtual')).eventId
    const sooner = (await make(alice, 10, 'in_person')).eventId
    const now = (await make(mia, -0.5, 'virtual')).eventId
    await bob.post(communityPath(originId, '/join'))
    await bob.post(path(later, '/rsvp'), { status: 'going' })
    await bob.post(path(sooner, '/rsvp'), { status: 'not_going' })
    const table: [query: object, ids: string[]][] = [
      [{}, [now, sooner, later]],
      [{ sortBy: 'startTime', orderBy: 'desc' }, [later, sooner, now]],
      [{ sortBy: 'createdAt', orderBy: 'asc' }, [later, sooner, now]],
      [{ sortBy: 'createdAt', orderBy: 'desc' }, [now, sooner, later]],
      [{ userId: 'mia' }, [now, later]],
      [{ userId: 'nobody' }, []],
      [{ userId: 'bob', onlyAttendee: true }, [later]],
      [{ userId: 'bob', onlyAttendee: false }, []],
      [{ onlyAttendee: true }, []],
      [{ type: 'in_person' }, [sooner]],
      [{ status: 'scheduled' }, [sooner, later]],
      [{ status: 'live' }, [now]],
      [{ status: 'ended' }, []],
      [{ status: 'cancelled' }, []],
      [{ originType: 'user' }, []],
    ]
    for (const [query, ids] of table) {
      const found = await queryEvents(mia, { originType: 'community', originId, ...query })
      expect([query, found.ids]).toEqual([query, ids])
    }
    for (const sorting of [{}, { sortBy: 'createdAt', orderBy: 'desc' }]) {
      const all = (await queryEvents(mia, { originId, ...sorting })).ids
      const first = await queryEvents(mia, { originId, ...sorting, options: { limit: 2 } })
      const token = first.body.paging.next
      const second = await queryEvents(mia, { originId, ...sorting, options: { token } })
      expect([...first.ids, ...second.ids]).toEqual(all)
      expect(second.body.paging.next).toBeUndefined()
    }
    expect(codeOf(await mia.get('/api/v1/events', { status: 'soon' }))).toBe(500000)
    expect(codeOf(await mia.get('/api/v1/events', { options: { token: 'bm90IGpzb24=' } }))).toBe(400000)
  })

  it('read many events with the queries of one', async () => {
    const { communityId: originId } = await createCommunity(mia)
    const { eventId } = await createEvent(mia, originId)
    const read = () => queryEvents(alice, { originId, options: { limit: 50 } })
    const one = await countQueries(read)
    await sql`
      insert into events select copy.* from events, generate_series(1, 20) n, json_populate_record(events,
        json_build_object('id', lpad(n::text, 24, '0'))) copy
      where events.id = ${eventId}`.execute(server.app.db)
    expect((await read()).ids).toHaveLength(21)
    expect(await countQueries(read)).toBe(one)
  })
})
