import type { TestClient } from '../../harness/client.ts'
import { firstPage, getAll, ok, type Scenario } from './world.ts'

const create = async (client: TestClient, fields: Record<string, unknown> = {}) =>
  ok(await client.post('/api/v3/channels', { type: 'community', displayName: 'The hive', ...fields }))
    .channels[0]

export const channels: Scenario = async ({ alice, bob, carol, newcomer }) => {
  const { channelId } = await create(alice, {
    userIds: ['bob'],
    tags: ['hive'],
    metadata: { a: 1 },
    isPublic: true,
  })
  ok(
    await alice.post('/api/v3/channels/conversation', {
      userIds: ['bob'],
      isDistinct: true,
      type: 'conversation',
    }),
  )
  const at = `/api/v3/channels/${channelId}`
  ok(await alice.put(at, { displayName: 'The big hive' }))
  ok(await carol.post(`${at}/join`))
  ok(await alice.post('/api/v3/messages', { channelId, data: { text: 'buzz' } }))
  await getAll(bob, [
    ['/api/v3/channels', { ...firstPage, filter: 'member', types: ['community'], sortBy: 'lastActivity' }],
    ['/api/v3/channels/list', { channelIds: [channelId] }],
    at,
    ['/api/v2/search/channels', { query: 'hive', options: { limit: 10, sortBy: 'lastActivity' } }],
    [`${at}/users`, { ...firstPage, filter: 'all', sortBy: 'lastCreated' }],
    [`/api/v4/channels/${channelId}/users`, { ...firstPage, memberships: ['member'], search: 'a' }],
  ])
  ok(await bob.post('/api/v3/channels/seen', { channels: [{ channelId, readToSegment: 1 }] }))
  ok(await bob.post(`${at}/seen`, { readToSegment: 1 }))
  await newcomer('grace')
  ok(await alice.post(`${at}/users`, { userIds: ['grace'] }))
  ok(await alice.post(`${at}/users/roles`, { userIds: ['grace'], role: 'channel-moderator' }))
  ok(await alice.delete(`${at}/users/roles`, { userIds: ['grace'], role: 'channel-moderator' }))
  ok(await alice.put(`/api/v2/channel/${channelId}/users/mute`, { userIds: ['grace'], mutePeriod: 60_000 }))
  ok(await alice.put(`/api/v2/channel/${channelId}/mute`, { mutePeriod: 60_000 }))
  ok(await alice.put(`/api/v2/channel/${channelId}/mute`, { mutePeriod: 0 }))
  ok(await alice.put(`${at}/users/ban`, { userIds: ['grace'] }))
  ok(await alice.put(`${at}/users/unban`, { userIds: ['grace'] }))
  ok(await alice.delete(`${at}/users`, { userIds: ['carol'] }))
  ok(await bob.delete(`${at}/leave`))
  ok(await alice.post(`/api/v2/channels/${channelId}/close`))
  ok(await alice.delete(`/api/v3/channels/${(await create(alice)).channelId}`))
}

export const presence: Scenario = async ({ alice, bob }) => {
  ok(await alice.put('/api/v1/presence/settings/user', { enabled: true }))
  ok(await alice.post('/api/v1/presence/heartbeat'))
  await getAll(bob, [
    '/api/v1/presence/settings',
    ['/api/v1/presence/network/users', { orderBy: 'asc' }],
    '/api/v1/presence/network/users/count',
    ['/api/v1/presence/users/list', { userIds: ['alice', 'bob'] }],
  ])
}
