import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  accept,
  block,
  follow,
  followInfo,
  removeFollower,
  setSocial,
  unblock,
  unfollow,
} from '../../../test/factories/follows.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'
import { listen } from '../../../test/harness/listener.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { followEvents } from './events.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  carol = await server.as('carol')
})
afterAll(() => server.close())

// Each test starts with strangers.
afterEach(async () => {
  await sql`truncate follows, follow_counts, user_blocks`.execute(server.app.db)
  await setSocial(server, { isFollowWithRequestEnabled: false })
})

const status = ({ body }: TestAnswer) => body.follows[0].status as string
const withRequests = () => setSocial(server, { isFollowWithRequestEnabled: true })
const emitted = async () => {
  const rows = await server.app.db.selectFrom('outboxEvents').select('name').orderBy('seq').execute()
  return rows.map((row) => row.name).filter((name) => name.startsWith('follow'))
}

it('follows at once where the network asks for nothing', async () => {
  const answer = await follow(alice, 'bob')
  expect(answer.status).toBe(200)
  expect(answer.body.follows).toEqual([
    {
      from: 'alice',
      fromUserPublicId: 'alice',
      fromUserInternalId: alice.id,
      to: 'bob',
      toUserPublicId: 'bob',
      toUserInternalId: bob.id,
      status: 'accepted',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ])
  expect(answer.body.users.map((user: { userId: string }) => user.userId).sort()).toEqual(['alice', 'bob'])
  expect(await followInfo(alice, 'bob')).toEqual({ counts: [1, 0, 0], status: 'accepted' })
  expect(await followInfo(alice, 'alice')).toEqual({ counts: [0, 1, 0] })
  expect(await followInfo(bob, 'alice')).toEqual({ counts: [0, 1, 0], status: 'none' })

  const before = await emitted()
  expect(status(await follow(alice, 'bob'))).toBe('accepted')
  expect(await emitted()).toEqual(before)
})

describe('where the network wants requests', () => {
  beforeEach(withRequests)

  it('asks, is let in, and counts only then', async () => {
    expect(status(await follow(alice, 'bob'))).toBe('pending')
    expect(status(await follow(alice, 'bob'))).toBe('pending')
    expect(await followInfo(bob, 'bob')).toEqual({ counts: [0, 0, 1] })
    expect(status(await accept(bob, 'alice'))).toBe('accepted')
    expect(status(await accept(bob, 'alice'))).toBe('accepted')
    expect(await followInfo(bob, 'bob')).toEqual({ counts: [1, 0, 0] })
    expect(await followInfo(alice, 'alice')).toEqual({ counts: [0, 1, 0] })
  })

  it('follows when asked again after requests were switched off', async () => {
    await follow(alice, 'bob')
    await setSocial(server, { isFollowWithRequestEnabled: false })
    expect(status(await follow(alice, 'bob'))).toBe('accepted')
    expect(await followInfo(bob, 'bob')).toEqual({ counts: [1, 0, 0] })
  })

  const ends: [name: string, act: () => Promise<TestAnswer>][] = [
    ['a request is declined', () => removeFollower(bob, 'alice')],
    ['a request is taken back', () => unfollow(alice, 'bob')],
  ]
  it.each(ends)('%s', async (_name, act) => {
    await follow(alice, 'bob')
    expect(status(await act())).toBe('none')
    expect(await followInfo(bob, 'bob')).toEqual({ counts: [0, 0, 0] })
    expect((await act()).status).toBe(404)
  })
})

it('ends by the one who follows or the one who is followed, and may begin again', async () => {
  await follow(alice, 'bob')
  expect(status(await unfollow(alice, 'bob'))).toBe('none')
  await follow(alice, 'bob')
  expect(status(await removeFollower(bob, 'alice'))).toBe('none')
  expect(await followInfo(alice, 'bob')).toEqual({ counts: [0, 0, 0], status: 'none' })
  expect((await removeFollower(bob, 'alice')).body).toMatchObject({ code: 400400 })
  expect(status(await follow(alice, 'bob'))).toBe('accepted')
})

const refusals: [name: string, act: () => Promise<TestAnswer>, http: number, code: number][] = [
  ['oneself', () => follow(alice, 'alice'), 400, 400000],
  ['somebody unknown', () => follow(alice, 'nobody'), 404, 400400],
  ['accepting nobody', () => accept(alice, 'bob'), 404, 400400],
  ['blocking oneself', () => block(alice, 'alice'), 400, 400000],
  ['blocking somebody unknown', () => block(alice, 'nobody'), 404, 400400],
  ['blocking an admin', () => block(alice, 'admin'), 403, 400300],
  ['ending no block', () => unblock(alice, 'bob'), 404, 400400],
  ['the list of somebody unknown', () => alice.get('/api/v4/users/nobody/followers'), 404, 400400],
]
it.each(refusals)('refuses %s', async (_name, act, http, code) => {
  await server.asAdmin()
  expect(await act()).toMatchObject({ status: http, body: { code } })
})

describe('lists', () => {
  const list = (client: TestClient, path: string, query = {}) => client.get(`/api/v4/${path}`, { ...query })
  const names = ({ body }: TestAnswer, end: 'from' | 'to') =>
    body.follows.map((one: Record<string, string>) => one[end])

  it('shows who follows and who is followed, newest first, by status', async () => {
    await follow(alice, 'bob')
    await follow(carol, 'bob')
    await withRequests()
    const dave = await server.as('dave')
    await follow(dave, 'bob')
    expect(names(await list(bob, 'me/followers'), 'from')).toEqual(['dave', 'carol', 'alice'])
    expect(names(await list(bob, 'me/followers', { status: 'pending' }), 'from')).toEqual(['dave'])
    expect(names(await list(bob, 'me/followers', { status: 'accepted' }), 'from')).toEqual(['carol', 'alice'])
    expect(names(await list(alice, 'me/following'), 'to')).toEqual(['bob'])
    expect(names(await list(alice, 'users/carol/following'), 'to')).toEqual(['bob'])
    const answer = await list(bob, 'me/followers', { status: 'accepted' })
    expect(answer.body.users.map((user: { userId: string }) => user.userId)).toEqual(
      expect.arrayContaining(['alice', 'carol']),
    )
    // Requests are nobody else's business.
    expect(names(await list(alice, 'users/bob/followers'), 'from')).toEqual(['carol', 'alice'])
    expect(names(await list(alice, 'users/bob/followers', { status: 'pending' }), 'from')).toEqual([])
    expect(names(await list(dave, 'users/bob/followers', { status: 'pending' }), 'from')).toEqual(['dave'])
    const admin = await server.asAdmin()
    expect(names(await list(admin, 'users/bob/followers', { status: 'pending' }), 'from')).toEqual(['dave'])
    expect(names(await list(admin, 'users/dave/following', { status: 'pending' }), 'to')).toEqual(['bob'])
  })

  it('pages join to the whole, also flat and nested parameters, and cost the same for one and for many', async () => {
    const people = await Promise.all(Array.from({ length: 7 }, (_, i) => server.as(`fan-${i}`)))
    await follow(alice, 'bob')
    await server.settled()
    const one = await countQueries(() => list(bob, 'me/followers'))
    for (const fan of people) await follow(fan, 'bob')
    expect(await countQueries(() => list(bob, 'me/followers'))).toBe(one)

    const whole = names(await list(bob, 'me/followers', { limit: 100 }), 'from')
    expect(whole).toHaveLength(8)
    const joined: string[] = []
    let query: Record<string, unknown> = { status: 'all', options: { limit: 3 }, isDeleted: false }
    for (let pages = 0; pages < 5; pages++) {
      const answer = await list(bob, 'me/followers', query)
      joined.push(...names(answer, 'from'))
      const { next, previous, prev } = answer.body.paging
      expect(prev).toBe(previous)
      if (!next) break
      expect(next.length).toBeLessThanOrEqual(100)
      query = pages % 2 ? { token: next } : { options: { token: next } }
    }
    expect(joined).toEqual(whole)
  })

  const limits: [name: string, query: object, http: number][] = [
    ['1', { limit: 1 }, 200],
    ['0', { limit: 0 }, 422],
    ['100', { limit: 100 }, 200],
    ['101', { limit: 101 }, 422],
    ['an unknown status', { status: 'blocked' }, 422],
    ['an empty token', { token: '' }, 422],
    ['a token that is none', { token: 'x'.repeat(100) }, 400],
    ['a token too long', { token: 'x'.repeat(101) }, 422],
  ]
  it.each(limits)('limit: %s', async (_name, query, http) => {
    expect((await list(alice, 'users/bob/followers', query)).status).toBe(http)
  })
})

describe('blocks', () => {
  it('end what there was both ways, keep both apart, and bring nothing back', async () => {
    await follow(alice, 'bob')
    await follow(bob, 'alice')
    const answer = await block(alice, 'bob')
    expect(answer.body.follows).toMatchObject([{ from: 'alice', to: 'bob', status: 'blocked' }])
    expect(answer.body.followCounts).toEqual([
      { userId: 'bob', followerCount: 0, followingCount: 0, pendingCount: 0 },
    ])
    expect(status(await block(alice, 'bob'))).toBe('blocked')
    for (const act of [() => follow(alice, 'bob'), () => follow(bob, 'alice')]) {
      expect(await act()).toMatchObject({ status: 403, body: { code: 400300 } })
    }
    // Only the one who blocked is told.
    expect((await followInfo(alice, 'bob')).status).toBe('blocked')
    expect((await followInfo(bob, 'alice')).status).toBe('none')
    expect((await unblock(bob, 'alice')).status).toBe(404)

    expect((await unblock(alice, 'bob')).body).toMatchObject({
      follows: [{ status: 'none' }],
      followCounts: [{ userId: 'bob' }],
    })
    expect(await followInfo(alice, 'bob')).toEqual({ counts: [0, 0, 0], status: 'none' })
    expect(status(await follow(bob, 'alice'))).toBe('accepted')
  })

  it('are listed for the one who blocked, in pages, with their number', async () => {
    await block(alice, 'bob')
    await block(alice, 'carol')
    await block(bob, 'alice')
    const first = await alice.get('/api/v4/me/user-blocks', { options: { limit: 1 }, isDeleted: false })
    expect(first.body).toMatchObject({
      follows: [{ from: 'alice', to: 'carol', status: 'blocked' }],
      paging: { total: 2, next: expect.any(String) },
    })
    const second = await alice.get('/api/v4/me/user-blocks', { options: { token: first.body.paging.next } })
    expect(second.body.follows).toMatchObject([{ to: 'bob' }])
    expect(second.body.paging).not.toHaveProperty('next')
  })

  it('take people out of lists', async () => {
    await follow(alice, 'carol')
    await follow(bob, 'carol')
    await block(alice, 'bob')
    for (const [who, sees] of [
      [alice, 'alice'],
      [bob, 'bob'],
    ] as const) {
      // prettier-ignore
      const { body } = await who.get('/api/v4/users/carol/followers')
      expect(body.follows.map((one: { from: string }) => one.from)).toEqual([sees])
    }
  })
})

describe('events', () => {
  const requests = { isFollowWithRequestEnabled: true }
  const stories: [event: string, webhook: string, status: string, setting: Record<string, unknown>, before: () => Promise<unknown>, act: () => Promise<unknown>][] = [
    ['follow.created', 'follow.didCreate', 'accepted', {}, async () => {}, () => follow(alice, 'bob')],
    ['follow.requested', 'follow.didRequest', 'pending', requests, async () => {}, () => follow(alice, 'bob')],
    ['follow.accepted', 'follow.didAcceptRequest', 'accepted', requests, () => follow(alice, 'bob'), () => accept(bob, 'alice')],
    ['follow.unfollowed', 'follow.didUnfollow', 'none', {}, () => follow(alice, 'bob'), () => unfollow(alice, 'bob')],
    ['follow.requestCanceled', 'follow.didCancelRequest', 'none', requests, () => follow(alice, 'bob'), () => unfollow(alice, 'bob')],
    ['follow.requestDeclined', 'follow.didDeclineRequest', 'none', requests, () => follow(alice, 'bob'), () => removeFollower(bob, 'alice')],
    ['follow.followerDeleted', 'follow.didDeleteFollower', 'none', {}, () => follow(alice, 'bob'), () => removeFollower(bob, 'alice')],
    ['follow.followerDeleted', 'follow.didDeleteFollower', 'none', {}, () => follow(alice, 'bob'), () => block(bob, 'alice')],
  ] // prettier-ignore
  it.each(stories)('%s reaches both', async (event, webhook, became, setting, before, act) => {
    await setSocial(server, setting)
    await before()
    await server.settled()
    const [from, to] = await Promise.all([
      listen(server, alice, [`hubbub/membership/+/${alice.id}/+`]),
      listen(server, bob, [`hubbub/membership/${bob.id}/+/+`]),
    ])
    await act()
    for (const listener of [from, to]) {
      const { data, path } = await listener.next(event)
      expect(data.follows).toMatchObject([{ from: 'alice', to: 'bob', status: became }])
      expect(data.users).toHaveLength(2)
      expect(data).toHaveProperty('files')
      expect(path).toBe(`hubbub/membership/${bob.id}/${alice.id}/${became}`)
      listener.close()
    }
    const definition = followEvents.find((one) => one.name === event)!
    const flat = definition.webhooks[0]!
    const { follows } = from.heard[0]!.data
    const subject = { from: alice.id, to: bob.id, status: became as 'none' }
    expect(flat.name).toBe(webhook)
    expect(flat.reshape!({ follows }, subject as never)).toMatchObject({
      from: 'alice',
      to: 'bob',
      status: became,
    })
  })

  it('are not for others', async () => {
    for (const topic of [
      `hubbub/membership/${bob.id}/+/+`,
      'hubbub/membership/+/+/+',
      `hubbub/membership/+/${bob.id}/+`,
    ]) {
      await expect(listen(server, alice, [topic])).rejects.toThrow('403')
    }
  })
})

describe('races end in one state that the counts tell of', () => {
  async function expectTrueCounts(): Promise<void> {
    const { rows } = await sql`
      select 1 from follow_counts counts where
        follower_count <> (select count(*) from follows where to_user_id = counts.user_id and status = 'accepted')
        or following_count <> (select count(*) from follows where from_user_id = counts.user_id and status = 'accepted')
        or pending_count <> (select count(*) from follows where to_user_id = counts.user_id and status = 'pending')
    `.execute(server.app.db)
    expect(rows).toEqual([])
  }
  const times = (n: number, act: () => Promise<TestAnswer>) => Promise.all(Array.from({ length: n }, act))

  it('many follows at once', async () => {
    const answers = await times(8, () => follow(alice, 'bob'))
    expect(answers.map(status)).toEqual(Array(8).fill('accepted'))
    expect(await followInfo(alice, 'bob')).toMatchObject({ counts: [1, 0, 0] })
    await expectTrueCounts()
  })

  it('two accepts, an accept and a withdrawal', async () => {
    await withRequests()
    await follow(alice, 'bob')
    await Promise.all([accept(bob, 'alice'), accept(bob, 'alice'), unfollow(alice, 'bob')])
    await expectTrueCounts()
  })

  it('follows both ways against blocks both ways', async () => {
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        follow(alice, 'bob'),
        follow(bob, 'alice'),
        block(alice, 'bob'),
        block(bob, 'alice'),
        follow(carol, 'bob'),
        unfollow(carol, 'bob'),
      ])
      const { rows } = await sql`
        select 1 from follows where status <> 'none' and from_user_id in (${alice.id}, ${bob.id})
      `.execute(server.app.db)
      expect(rows).toEqual([])
      await expectTrueCounts()
      await Promise.all([unblock(alice, 'bob'), unblock(bob, 'alice')])
    }
  })
})
