import mqtt, { type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity, join, path } from '../../../test/factories/communities.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { communityEvents } from './events.ts'

interface Received {
  eventType: string
  senderId: string
  path: string
  data: Record<string, any[]> // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
}

let server: TestServer
let alice: TestClient
let bob: TestClient
let carol: TestClient
const open: MqttClient[] = []
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  carol = await server.as('carol')
})
afterAll(async () => {
  for (const client of open) client.end(true)
  await server.close()
})

/** Listens to a community as one of its clients would. */
async function listen(user: TestClient, topic: string): Promise<Received[]> {
  const client = mqtt.connect(server.mqttUrl, {
    username: user.id,
    password: user.accessToken,
    reconnectPeriod: 0,
  })
  open.push(client)
  const received: Received[] = []
  client.on('message', (_topic, payload) => received.push(JSON.parse(payload.toString()) as Received))
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('error', reject)
  })
  await client.subscribeAsync(topic)
  return received
}

const moderator = { roles: ['community-moderator'], userIds: ['bob'] }
const bobs = { userIds: ['bob'] }
const readKeys = ['communities', 'communityUsers', 'users', 'categories', 'feeds', 'files']

/** What is done to a community, after what, and what its listeners then hear about whom. */
const stories: [event: string, webhook: string, before: Step[], act: Step, about: object][] = [
  ['community.updated', 'v3.community.didUpdate', [], (id) => alice.put(path(id), { displayName: 'New' }), {}],
  ['community.deleted', 'v3.community.didDelete', [], (id) => alice.delete(path(id)), {}],
  ['community.joined', 'v3.community.didJoin', [], (id) => join(bob, id), { communityMembership: 'member' }],
  ['community.left', 'v3.community.didLeave', [(id) => join(bob, id)], (id) => bob.delete(path(id, '/leave')), { communityMembership: 'none', notMemberReason: 'left' }],
  ['community.userAdded', 'v3.community.didAddUsers', [], (id) => alice.post(path(id, '/users'), bobs), { communityMembership: 'member', permissions: [] }],
  ['community.userRemoved', 'v3.community.didRemoveUsers', [(id) => join(bob, id)], (id) => alice.delete(path(id, '/users'), bobs), { communityMembership: 'none' }],
  ['community.userBanned', 'v3.community.didBan', [(id) => join(bob, id)], (id) => alice.put(path(id, '/users/ban'), bobs), { communityMembership: 'banned', isBanned: true }],
  ['community.userUnbanned', 'v3.community.didUnban', [(id) => alice.put(path(id, '/users/ban'), bobs)], (id) => alice.put(path(id, '/users/unban'), bobs), { communityMembership: 'none', isBanned: false }],
  ['community.roleAdded', 'v3.community.didRoleChange', [(id) => join(bob, id)], (id) => alice.post(path(id, '/users/roles', 'v4'), moderator), { roles: ['community-moderator'] }],
  ['community.roleRemoved', 'v3.community.didRoleChange', [(id) => join(bob, id), (id) => alice.post(path(id, '/users/roles', 'v4'), moderator)], (id) => alice.delete(path(id, '/users/roles', 'v4'), moderator), { roles: [] }],
] // prettier-ignore
type Step = (communityId: string) => Promise<{ status: number }>

describe.each(stories)('%s', (event, webhook, before, act, about) => {
  it('reaches those who listen to the community, as the clients read it', async () => {
    const community = await createCommunity(alice)
    const id = community.communityId as string
    for (const step of before) expect((await step(id)).status).toBe(200)
    await server.settled()
    const received = await listen(carol, community.path as string)
    expect((await act(id)).status).toBe(200)
    const [told] = await eventually(() => received)
    expect(told).toMatchObject({ eventType: event, path: community.path })
    for (const key of readKeys) expect(told!.data[key]).toBeInstanceOf(Array)
    expect(Object.keys(about).length === 0 ? told!.data.communityUsers : []).toEqual([])
    if (Object.keys(about).length > 0) {
      expect(told!.data.communityUsers).toMatchObject([{ userId: 'bob', communityId: id, ...about }])
      expect(told!.data.users!.map((user) => user.userId)).toContain('bob')
    }
    // The community as anybody would read it now, but for what is personal.
    const { isJoined: _personal, ...now } = (await alice.get(path(id))).body.communities[0]
    expect(told!.data.communities).toEqual([now])
    await server.settled()
    // What lists of members in the newer clients follow.
    const beside = ['community.userAdded', 'community.userRemoved'].includes(event)
      ? ['community.userChanged']
      : []
    await eventually(() => received.length > beside.length)
    expect(received.slice(1).map(({ eventType, data }) => [eventType, data])).toEqual(
      beside.map((name) => [name, told!.data]),
    )
  })

  it('has its webhook twin', () => {
    const definition = communityEvents.find((one) => one.name === event)!
    expect(definition.webhooks).toMatchObject([{ name: webhook, shape: definition.realtime!.shape }])
    for (const key of readKeys) expect(definition.realtime!.shape).toHaveProperty(key)
  })
})

async function emitted(communityId: string): Promise<string[]> {
  const rows = await server.app.db
    .selectFrom('outboxEvents')
    .select(['name', 'subject'])
    .orderBy('seq')
    .execute()
  return rows
    .filter(({ subject }) => {
      const { id, communityId: of } = subject as { id: string; communityId?: string }
      return (of ?? id) === communityId
    })
    .map((row) => row.name)
    .filter((name) => name.startsWith('community'))
}

it('tells of a new community and of the people put into it', async () => {
  const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
  expect(await emitted(communityId)).toEqual(['community.created', 'community.userAdded'])
})

it('tells of join requests and of their answers', async () => {
  const { communityId } = await createCommunity(alice, { requiresJoinApproval: true })
  await bob.post(path(communityId, '/join', 'v4'))
  await alice.post(path(communityId, '/join/approve', 'v4'), { userId: bob.id })
  expect(await emitted(communityId)).toEqual([
    'community.created',
    'communityJoinRequest.created',
    'communityJoinRequest.answered',
    'community.userAdded',
    'community.userChanged',
  ])
})

it('tells nothing where nothing changed', async () => {
  const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
  await join(bob, communityId)
  await alice.post(path(communityId, '/users'), bobs)
  await alice.put(path(communityId, '/users/unban'), bobs)
  await alice.delete(path(communityId, '/users/roles', 'v4'), moderator)
  await alice.post(path(communityId, '/users/roles', 'v4'), { ...moderator, userIds: ['alice'] })
  await alice.delete(path(communityId, '/leave'))
  expect(await emitted(communityId)).toEqual(['community.created', 'community.userAdded'])
})

describe('in a private community', () => {
  /** Renames it until only the insider hears of it: subscriptions are judged again beside the events, not before them. */
  async function silent(id: string, outside: Received[], inside: Received[]): Promise<boolean> {
    const [heard, told] = [outside.length, inside.length]
    await alice.put(path(id), { displayName: `Among us ${told}` })
    await eventually(() => inside.length > told)
    return outside.length === heard
  }

  it('a former member hears that they are out, and nothing after it', async () => {
    const community = await createCommunity(alice, { isPublic: false, userIds: ['bob', 'carol'] })
    const id = community.communityId as string
    await server.settled()
    const [outside, inside] = [await listen(bob, community.path), await listen(carol, community.path)]
    await alice.delete(path(id, '/users'), bobs)
    await eventually(() => outside)
    await eventually(() => silent(id, outside, inside))
    expect(await silent(id, outside, inside)).toBe(true)
    expect(outside[0]!.eventType).toBe('community.userRemoved')
  })

  it('outsiders hear that it closed, and nothing after it', async () => {
    const community = await createCommunity(alice)
    const id = community.communityId as string
    await server.settled()
    const [outside, inside] = [await listen(bob, community.path), await listen(alice, community.path)]
    await alice.put(path(id), { isPublic: false })
    await eventually(() => outside)
    await eventually(() => silent(id, outside, inside))
    expect(await silent(id, outside, inside)).toBe(true)
  })
})
