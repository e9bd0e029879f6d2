import { afterEach, describe, expect, it } from 'vitest'
import { createCommunity, join, path } from '../../../test/factories/communities.ts'
import { startWithPeople } from '../../../test/harness/people.ts'
import { inTransaction } from '../../kernel/database.ts'
import { setClock } from '../../platform/clock.ts'
import { adjustPostsCount } from './index.ts'
import { trendShare } from './trend.ts'

const day = 24 * 60 * 60 * 1000
const start = Date.UTC(2026, 5, 1)

const { server, alice } = await startWithPeople()
afterEach(() => setClock())

/** Runs at a time, in days after the start. Sessions were made by the machine's clock, so it must not be left. */
async function at<T>(days: number, work: () => Promise<T>): Promise<T> {
  setClock(() => start + days * day)
  return work().finally(() => setClock())
}

const post = (communityId: string, publishedAt?: Date, delta = 1) =>
  inTransaction(server.app.db, (tx) => adjustPostsCount(tx, communityId, delta, publishedAt))
const trendOf = async (communityId: string) =>
  (
    await server.app.db
      .selectFrom('communities')
      .select('trend')
      .where('id', '=', communityId)
      .executeTakeFirstOrThrow()
  ).trend
async function trending(query: Record<string, unknown> = {}, client = alice): Promise<string[]> {
  const { body } = await client.get('/api/v3/communities/top-trending', { options: { limit: 100 }, ...query })
  return body.communities.map((one: { displayName: string }) => one.displayName)
}
const make = (displayName: string, fields = {}) => createCommunity(alice, { displayName, ...fields })

describe('a share of the trend', () => {
  it('doubles for each week later, and counts a post as two joins', () => {
    const [now, later] = [new Date(start), new Date(start + 7 * day)]
    expect(trendShare('join', later) / trendShare('join', now)).toBeCloseTo(2, 9)
    expect(trendShare('post', now)).toBe(2 * trendShare('join', now))
    expect(Number.isFinite(trendShare('post', new Date(Date.UTC(2044, 0, 1))))).toBe(true)
  })
})

describe('top trending', () => {
  it('ranks recent activity above old, much above little', async () => {
    const old = await at(0, () => make('Old and busy'))
    const fresh = await at(14, () => make('Fresh'))
    const quiet = await at(0, () => make('Quiet'))
    for (let i = 0; i < 3; i++) await at(0, () => post(old.communityId))
    // Seven at the start against one two weeks later, which counts four times as much: still ahead ...
    expect(await trending()).toEqual(['Old and busy', 'Fresh', 'Quiet'])
    // ... and behind a single post more, made when those have faded.
    await at(14, () => post(fresh.communityId))
    expect(await trending()).toEqual(['Fresh', 'Old and busy', 'Quiet'])
    expect(await trending({ options: { limit: 1 } })).toEqual(['Fresh'])
    await alice.delete(path(fresh.communityId))
    await alice.delete(path(old.communityId))
    await alice.delete(path(quiet.communityId))
    expect(await trending()).toEqual([])
  })

  it('counts those who come by themselves, and only while they stay', async () => {
    const [one, two] = [await at(20, () => make('One')), await at(20, () => make('Two'))]
    const before = await trendOf(two.communityId)
    const fans = await Promise.all(['fan1', 'fan2'].map((userId) => server.as(userId)))
    await alice.post(path(one.communityId, '/users'), { userIds: ['fan1', 'fan2'] })
    expect(await trendOf(one.communityId)).toBe(before)
    for (const fan of fans) await join(fan, two.communityId)
    expect((await trending()).slice(0, 2)).toEqual(['Two', 'One'])
    await fans[0]!.delete(path(two.communityId, '/leave'))
    await alice.put(path(two.communityId, '/users/ban'), { userIds: ['fan2'] })
    expect((await trendOf(two.communityId)) / before).toBeCloseTo(1, 6)
    // Coming and going over and over leaves nothing behind.
    for (let i = 0; i < 5; i++) {
      await join(fans[0]!, two.communityId)
      await fans[0]!.delete(path(two.communityId, '/leave'))
    }
    expect((await trendOf(two.communityId)) / before).toBeCloseTo(1, 6)
  })

  it('takes a deleted post back as what it was worth', async () => {
    const { communityId } = await at(0, () => make('Posts'))
    const before = await trendOf(communityId)
    const published = new Date(start)
    await post(communityId, published)
    await post(communityId, published, -1)
    expect((await trendOf(communityId)) / before).toBeCloseTo(1, 6)
    await at(60, () => post(communityId, published))
    await post(communityId, new Date(start + 60 * day), -1)
    expect(await trendOf(communityId)).toBe(0)
  })

  it('shows discoverable communities where they are asked for, and never hidden ones', async () => {
    const { communityId } = await at(30, () => make('Found', { isPublic: false, isDiscoverable: true }))
    await at(30, () => make('Hidden', { isPublic: false }))
    const stranger = await server.as('stranger')
    expect(await trending({}, stranger)).not.toContain('Found')
    expect(await trending({ includeDiscoverablePrivateCommunity: true }, stranger)).toContain('Found')
    expect(await trending({ includeDiscoverablePrivateCommunity: true }, stranger)).not.toContain('Hidden')
    expect(await trending({ includeDiscoverablePrivateCommunity: true }, alice)).not.toContain('Hidden')
    expect((await stranger.get(path(communityId))).status).toBe(200)
  })

  it('answers five when nothing is said, the larger first among equals', async () => {
    await server.app.db.updateTable('communities').set({ trend: 0 }).execute()
    const big = await make('Big', { userIds: ['fan1', 'fan2'] })
    await server.app.db
      .updateTable('communities')
      .set({ trend: 0 })
      .where('id', '=', big.communityId)
      .execute()
    for (let i = 0; i < 5; i++) await make(`Filler ${i}`)
    await server.app.db.updateTable('communities').set({ trend: 0 }).execute()
    const { body } = await alice.get('/api/v3/communities/top-trending')
    expect(body.communities).toHaveLength(5)
    expect(body.communities[0].displayName).toBe('Big')
  })
})
