import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, lineOf, path } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { inTransaction, type Tx } from '../../kernel/database.ts'
import {
  adjustFlaggedCommentsCount,
  adjustFlaggedPostsCount,
  adjustPostsCount,
  createCommunity as createCommunityFor,
  touchMembership,
} from './index.ts'

let server: TestServer
let alice: TestClient
let id: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  id = (await createCommunity(alice)).communityId
})
afterAll(() => server.close())

const within = (work: (tx: Tx) => Promise<unknown>) => inTransaction(server.app.db, work)
const read = async () => (await alice.get(path(id))).body

describe('what other slices count', () => {
  it('is exact, however many count at the same time', async () => {
    const count = (delta: number) => within((tx) => adjustPostsCount(tx, id, delta))
    await Promise.all(Array.from({ length: 20 }, () => count(1)))
    await Promise.all(Array.from({ length: 15 }, (_, i) => count(i < 10 ? -1 : 1)))
    expect((await read()).communities[0].postsCount).toBe(15)
    await expect(count(-16)).rejects.toThrow(/posts_count/)
    expect((await read()).communities[0].postsCount).toBe(15)
  })

  it('shows flags as long as there are any', async () => {
    for (const [post, comment, shown] of [
      [2, 1, { hasFlaggedPost: true, hasFlaggedComment: true }],
      [-1, -1, { hasFlaggedPost: true, hasFlaggedComment: false }],
      [-1, 0, { hasFlaggedPost: false, hasFlaggedComment: false }],
    ] as const) {
      await within(async (tx) => {
        await adjustFlaggedPostsCount(tx, id, post)
        await adjustFlaggedCommentsCount(tx, id, comment)
      })
      expect((await read()).communities[0]).toMatchObject(shown)
    }
    await expect(within((tx) => adjustFlaggedPostsCount(tx, id, -1))).rejects.toThrow(/flagged_posts_count/)
  })

  it('moves the last activity of a member', async () => {
    const before = lineOf(await read(), 'alice').lastActivity
    await new Promise((resolve) => setTimeout(resolve, 5))
    await within((tx) => touchMembership(tx, id, alice.id))
    expect(lineOf(await read(), 'alice').lastActivity > before).toBe(true)
  })
})

it('a community made for an event says so', async () => {
  const viewer = {
    id: alice.id,
    userId: 'alice',
    kind: 'signed-in',
    roles: [],
    permissions: new Set<string>(),
    sessionId: '',
  } as const
  const made = await within((tx) => createCommunityFor(tx, viewer, { displayName: 'Talk' }, 'event-id'))
  const { body } = await alice.get(path(made as string))
  expect(body.communities[0]).toMatchObject({ type: 'event', eventId: 'event-id', membersCount: 1 })
})
