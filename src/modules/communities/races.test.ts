import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, path } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { inTransaction } from '../../kernel/database.ts'
import { adjustPostsCount } from './index.ts'

let server: TestServer
let alice: TestClient
let crowd: TestClient[]
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  crowd = []
  for (let i = 0; i < 12; i++) crowd.push(await server.as(`crowd${i}`))
})
afterAll(() => server.close())

/** The stored counters beside what a recount of the rows says. */
async function recount(communityId: string) {
  const { rows } = await sql<Record<string, number>>`
    select communities.members_count, communities.moderator_member_count, counted.members, counted.moderators, channel.member_count,
      channel_counted.n as channel_members
    from communities
    cross join lateral (
      select count(*) as members, count(*) filter (where 'community-moderator' = any (roles)) as moderators
      from community_members where community_id = communities.id and membership = 'member') counted
    join channels channel on channel.id = communities.id
    cross join lateral (
      select count(*) as n from channel_members where channel_id = communities.id and membership = 'member') channel_counted
    where communities.id = ${communityId}`.execute(server.app.db)
  return rows[0]!
}

async function expectTrueCounts(communityId: string): Promise<void> {
  const row = await recount(communityId)
  expect(row.membersCount).toBe(row.members)
  expect(row.moderatorMemberCount).toBe(row.moderators)
  expect(row.memberCount).toBe(row.channelMembers)
  expect(row.memberCount).toBe(row.membersCount)
}

const statuses = (answers: { status: number }[]) => answers.map((answer) => answer.status).sort()

describe('at the same time', () => {
  it('one person joins many times, many people join once', async () => {
    const { communityId } = await createCommunity(alice)
    const repeated = Array.from({ length: 8 }, () => join(crowd[0]!, communityId))
    const others = crowd.slice(1).map((client) => join(client, communityId))
    expect(statuses(await Promise.all([...repeated, ...others])).every((status) => status === 200)).toBe(true)
    expect((await recount(communityId)).membersCount).toBe(13)
    await expectTrueCounts(communityId)
  })

  it('people join, leave, are added, removed and banned', async () => {
    const { communityId } = await createCommunity(alice, { userIds: ['crowd0', 'crowd1'] })
    const userIds = ['crowd0', 'crowd1', 'crowd2', 'crowd3']
    const work = crowd
      .slice(0, 4)
      .flatMap((client) => [
        join(client, communityId),
        client.delete(path(communityId, '/leave')),
        alice.post(path(communityId, '/users'), { userIds: [client.userId] }),
        alice.delete(path(communityId, '/users'), { userIds: [client.userId] }),
        alice.put(path(communityId, '/users/ban'), { userIds: [client.userId] }),
        alice.put(path(communityId, '/users/unban'), { userIds }),
      ])
    const answers = await Promise.all(work)
    expect(answers.filter((answer) => answer.status >= 500)).toEqual([])
    await expectTrueCounts(communityId)
  })

  it('two moderators leave, or throw each other out: one stays', async () => {
    for (const go of [
      (client: TestClient, id: string) => client.delete(path(id, '/leave')),
      (client: TestClient, id: string, other: string) =>
        client.delete(path(id, '/users'), { userIds: [other] }),
      (client: TestClient, id: string, other: string) =>
        client.put(path(id, '/users/ban'), { userIds: [other] }),
      (client: TestClient, id: string, other: string) =>
        client.delete(path(id, '/users/roles', 'v4'), { roles: ['community-moderator'], userIds: [other] }),
    ]) {
      const { communityId } = await createCommunity(alice, { userIds: ['crowd0'] })
      const role = { roles: ['community-moderator'], userIds: ['crowd0'] }
      await alice.post(path(communityId, '/users/roles', 'v4'), role)
      const answers = await Promise.all([
        go(alice, communityId, 'crowd0'),
        go(crowd[0]!, communityId, 'alice'),
      ])
      expect(statuses(answers)[0]).toBe(200)
      expect(statuses(answers)[1]).toBeGreaterThanOrEqual(403)
      expect((await recount(communityId)).moderatorMemberCount).toBe(1)
      await expectTrueCounts(communityId)
    }
  })

  it('a request is approved, rejected and cancelled: one of them counts', async () => {
    for (let round = 0; round < 5; round++) {
      const { communityId } = await createCommunity(alice, { requiresJoinApproval: true })
      const [requester] = crowd as [TestClient]
      await requester.post(path(communityId, '/join', 'v4'))
      const answers = await Promise.all([
        alice.post(path(communityId, '/join/approve', 'v4'), { userId: requester.id }),
        alice.post(path(communityId, '/join/approve', 'v4'), { userId: requester.id }),
        alice.post(path(communityId, '/join/reject', 'v4'), { userId: requester.id }),
        requester.delete(path(communityId, '/join', 'v4')),
      ])
      expect(statuses(answers)).toEqual([200, 404, 404, 404])
      const { body } = await requester.get(path(communityId, '/join/me', 'v4'))
      const { membersCount } = await recount(communityId)
      expect(membersCount).toBe(body.joinRequests[0].status === 'approved' ? 2 : 1)
      await expectTrueCounts(communityId)
    }
  })

  it('one person asks many times: one request', async () => {
    const { communityId } = await createCommunity(alice, { requiresJoinApproval: true })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => crowd[0]!.post(path(communityId, '/join', 'v4'))),
    )
    expect(new Set(answers.map((answer) => answer.body.joinRequests[0].joinRequestId)).size).toBe(1)
  })

  it('an invitation is accepted, rejected and taken back: one of them counts', async () => {
    for (let round = 0; round < 5; round++) {
      const { communityId } = await createCommunity(alice, { isPublic: false })
      const invitation = { type: 'communityMemberInvite', targetType: 'community', targetId: communityId }
      const sent = await Promise.all(
        Array.from({ length: 3 }, () =>
          alice.post('/api/v1/invitations', { ...invitation, userIds: ['crowd1'] }),
        ),
      )
      const ids = new Set(sent.map((answer) => answer.body.invitations[0].invitationId as string))
      expect(ids.size).toBe(1)
      const [id] = [...ids]
      const answers = await Promise.all([
        crowd[1]!.post(`/api/v1/invitations/${id}/accept`),
        crowd[1]!.post(`/api/v1/invitations/${id}/reject`),
        alice.delete(`/api/v1/invitations/${id}`),
      ])
      expect(statuses(answers)).toEqual([200, 409, 409])
      await expectTrueCounts(communityId)
    }
  })

  it('posts are counted, and the community deleted meanwhile', async () => {
    const { communityId } = await createCommunity(alice)
    await Promise.all([
      ...Array.from({ length: 20 }, () =>
        inTransaction(server.app.db, (tx) => adjustPostsCount(tx, communityId, 1)),
      ),
      alice.delete(path(communityId)),
      ...crowd.map((client) => join(client, communityId)),
    ])
    expect((await alice.get(path(communityId))).body.communities[0]).toMatchObject({
      postsCount: 20,
      isDeleted: true,
    })
    await expectTrueCounts(communityId)
  })
})

it('counts stay true through a thousand random steps', async () => {
  // A small generator with a seed, so that a failure can be run again.
  let seed = 20_260_601
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return (seed >>> 8) % below
  }
  const owned = await Promise.all(
    [{}, { isPublic: false, isDiscoverable: true }, { requiresJoinApproval: true }].map((fields) =>
      createCommunity(alice, fields),
    ),
  )
  const step = async (): Promise<number> => {
    const id = owned[random(owned.length)]!.communityId
    const client = crowd[random(6)]!
    const userIds = [client.userId, crowd[random(6)]!.userId]
    const actor = random(3) === 0 ? client : alice
    switch (random(11)) {
      case 0:
      case 1:
        return (await join(client, id)).status
      case 2:
        return (await client.post(path(id, '/join', 'v4'))).status
      case 3:
        return (await actor.post(path(id, '/join/approve', 'v4'), { userId: client.id })).status
      case 4:
        return (await client.delete(path(id, '/leave'))).status
      case 5:
        return (await actor.post(path(id, '/users'), { userIds })).status
      case 6:
        return (await actor.delete(path(id, '/users'), { userIds: userIds.slice(1) })).status
      case 7:
        return (await actor.put(path(id, '/users/ban'), { userIds: userIds.slice(1) })).status
      case 8:
        return (await actor.put(path(id, '/users/unban'), { userIds })).status
      case 9:
        return (
          await actor.post(path(id, '/users/roles', 'v4'), {
            roles: ['community-moderator'],
            userIds: userIds.slice(1),
          })
        ).status
      default:
        return (
          await actor.delete(path(id, '/users/roles', 'v4'), { roles: ['community-moderator'], userIds })
        ).status
    }
  }
  const seen = new Set<number>()
  for (let i = 0; i < 130; i++) {
    const answers = await Promise.all(Array.from({ length: 8 }, step))
    for (const status of answers) seen.add(status)
  }
  expect([...seen].filter((status) => status >= 500)).toEqual([])
  expect(seen.has(200)).toBe(true)
  for (const { communityId } of owned) {
    await expectTrueCounts(communityId)
    expect((await recount(communityId)).moderators).toBeGreaterThan(0)
  }
}, 60_000)
