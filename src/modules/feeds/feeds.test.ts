import { describe, expect, it } from 'vitest'
import { createCommunity, path } from '../../../test/factories/communities.ts'
import { startWithPeople } from '../../../test/harness/people.ts'
import { inTransaction } from '../../kernel/database.ts'
import { adjustFeedCount, ensureFeeds, findFeeds } from './index.ts'

const { server, alice } = await startWithPeople()

describe('feeds', () => {
  it('are made once, however many ask at the same time', async () => {
    const ask = () => inTransaction(server.app.db, (tx) => ensureFeeds(tx, 'user', alice.id))
    const answers = await Promise.all(Array.from({ length: 10 }, ask))
    expect(new Set(answers.map((ids) => JSON.stringify(ids))).size).toBe(1)
    const rows = await findFeeds(server.app.db, 'user', alice.id)
    expect(rows.map((row) => row.feedType).sort()).toEqual(['declined', 'published', 'reviewing'])
    expect(new Set(rows.map((row) => row.id)).size).toBe(3)
  })

  it('show with their community how many posts they hold', async () => {
    const { communityId } = await createCommunity(alice)
    const count = (delta: number) =>
      inTransaction(server.app.db, async (tx) => {
        const { reviewing } = await ensureFeeds(tx, 'community', communityId)
        await adjustFeedCount(tx, reviewing, delta)
      })
    await Promise.all(Array.from({ length: 10 }, () => count(1)))
    await count(-3)
    await count(0)
    const { feeds } = (await alice.get(path(communityId))).body
    expect(feeds).toMatchObject([
      { feedType: 'published', postCount: 0 },
      { feedType: 'reviewing', postCount: 7, targetId: communityId, targetType: 'community' },
      { feedType: 'declined', postCount: 0 },
    ])
  })

  it('never hold less than nothing', async () => {
    const { communityId } = await createCommunity(alice)
    const { feeds } = (await alice.get(path(communityId))).body
    const below = inTransaction(server.app.db, (tx) => adjustFeedCount(tx, feeds[0].feedId, -1))
    await expect(below).rejects.toThrow(/feeds_post_count/)
  })
})
