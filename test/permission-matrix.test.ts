import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEvent, eventBody, respond } from './factories/events.ts'
import { createStory, storyBody } from './factories/stories.ts'
import type { TestAnswer, TestClient } from './harness/client.ts'
import { startTestServer, type TestServer } from './harness/server.ts'

/** The columns: who asks. `owner` made the community, the channel and the posts. */
const people = ['admin', 'superMod', 'moderator', 'owner', 'member', 'stranger'] as const
type Person = (typeof people)[number]

interface Row {
  action: string
  /** Those who may. Everybody else is refused with 403 or, where seeing is not allowed, 404. */
  allowed: readonly Person[]
  /** Runs once a person, in the order of `people`; makes what it needs as `world.owner`. */
  run(who: TestClient, world: World): Promise<TestAnswer>
}

interface World {
  as: Record<Person, TestClient>
  community: string
  hidden: string
  channel: string
  /** A fresh post of the owner's, in the community or their own feed. */
  post(target?: 'community' | 'user'): Promise<string>
  /** A fresh room of the owner's, shown nowhere or in the private community. */
  room(target?: 'hidden'): Promise<string>
}

const everyone = people
const staff = ['admin', 'superMod', 'moderator'] as const
let made = 0

const rows: Row[] = [
  { action: 'edit own profile', allowed: everyone, run: (who) => who.put('/api/v3/users', { description: 'd' }) },
  { action: "edit another's profile", allowed: ['admin', 'superMod'], run: (who) => who.put('/api/v3/users', { userId: 'victim', description: 'd' }) },
  { action: 'give a role', allowed: ['admin'], run: (who) => who.put('/api/v3/users', { userId: 'victim', roles: ['member'] }).then(async (answer) => { await who.put('/api/v3/users', { userId: 'victim', roles: [] }); return answer }) },
  { action: 'make a role', allowed: ['admin'], run: (who) => who.post('/api/v3/roles', { roleId: `r${made++}`, permissions: [] }) },
  { action: 'flag a user', allowed: everyone, run: (who) => who.post('/api/v4/me/flags/victim') },
  { action: "clear a user's flags", allowed: ['admin', 'superMod'], run: (who) => who.delete('/api/v2/users/victim/flags') },
  { action: 'ban from the network', allowed: ['admin', 'superMod'], run: (who) => who.post('/api/v2/users/ban', { userId: 'victim' }) },
  { action: 'end a ban', allowed: ['admin', 'superMod'], run: (who) => who.post('/api/v2/users/unban', { userId: 'victim' }) },
  { action: "end another's sessions", allowed: ['admin', 'superMod'], run: (who) => who.delete('/api/v4/sessions/users/victim') },
  { action: 'delete a user', allowed: ['admin'], run: async (who, { as }) => { const userId = `d${made++}`; await as.admin.put('/api/v3/users', { userId, createNewUserWhenNotFound: true }); return who.delete(`/api/v4/users/${userId}`) } },
  { action: 'change network settings', allowed: ['admin'], run: (who) => who.put('/api/v3/network-settings/users', { isAllowUpdateDisplayName: true }) },
  { action: 'make a category', allowed: ['admin'], run: (who) => who.post('/api/v3/community-categories', { name: `c${made++}` }) },
  { action: 'make a community', allowed: everyone, run: (who) => who.post('/api/v3/communities', { displayName: `c${made++}` }) },
  { action: 'read a community', allowed: everyone, run: (who, { community }) => who.get(`/api/v3/communities/${community}`) },
  { action: 'read a private community', allowed: [...staff, 'owner', 'member'], run: (who, { hidden }) => who.get(`/api/v3/communities/${hidden}`) },
  { action: 'edit a community', allowed: [...staff, 'owner'], run: (who, { community }) => who.put(`/api/v3/communities/${community}`, { description: 'd' }) },
  { action: 'post in a community', allowed: [...staff, 'owner', 'member'], run: (who, { community }) => who.post('/api/v4/posts', { targetType: 'community', targetId: community, data: { text: 'x' } }) },
  { action: "post in another's feed", allowed: ['admin'], run: (who) => who.post('/api/v4/posts', { targetType: 'user', targetId: 'victim', data: { text: 'x' } }) },
  { action: "delete another's community post", allowed: [...staff, 'owner'], run: async (who, { post }) => who.delete(`/api/v3/posts/${await post('community')}`) },
  { action: "delete another's feed post", allowed: [...staff, 'owner'], run: async (who, { post }) => who.delete(`/api/v3/posts/${await post('user')}`) },
  { action: 'make a community story', allowed: [...staff, 'owner'], run: (who, { community }) => who.post('/api/v4/stories', storyBody(community)) },
  { action: "make a story on another's page", allowed: [], run: (who) => who.post('/api/v4/stories', storyBody('victim', { targetType: 'user' })) },
  { action: "delete another's community story", allowed: [...staff, 'owner'], run: async (who, { as, community }) => who.delete(`/api/v4/stories/${(await createStory(as.owner, community)).storyId}`) },
  { action: "clear a story's flags", allowed: [...staff, 'owner'], run: async (who, { as, community }) => who.delete(`/api/v4/stories/${(await createStory(as.owner, community)).storyId}/flags/all`) },
  { action: 'react to a community story', allowed: ['owner', 'member'], run: async (who, { as, community }) => who.post('/api/v2/reactions', { referenceType: 'story', referenceId: (await createStory(as.owner, community)).storyId, reactionName: 'like' }) },
  { action: 'make a community event', allowed: [...staff, 'owner'], run: (who, { community }) => who.post('/api/v1/events', eventBody(community)) },
  { action: "make an event of another's", allowed: [], run: (who) => who.post('/api/v1/events', eventBody('victim', { originType: 'user' })) },
  { action: 'make an event of their own', allowed: everyone, run: (who) => who.post('/api/v1/events', eventBody(who.userId, { originType: 'user' })) },
  { action: "change another's community event", allowed: [...staff, 'owner'], run: async (who, { as, community }) => who.put(`/api/v1/events/${(await createEvent(as.owner, community)).eventId}`, { title: 'x' }) },
  { action: "delete another's community event", allowed: [...staff, 'owner'], run: async (who, { as, community }) => who.delete(`/api/v1/events/${(await createEvent(as.owner, community)).eventId}`) },
  { action: 'answer a community event', allowed: ['owner', 'member'], run: async (who, { as, community }) => respond(who, (await createEvent(as.owner, community)).eventId) },
  { action: 'make a community channel', allowed: everyone, run: (who) => who.post('/api/v3/channels', { type: 'community', displayName: `c${made++}` }) },
  { action: 'edit a channel', allowed: [...staff, 'owner'], run: (who, { channel }) => who.put(`/api/v3/channels/${channel}`, { displayName: 'd' }) },
  { action: 'make a room', allowed: everyone, run: (who) => who.post('/api/v1/rooms', { title: `r${made++}` }) },
  { action: 'read a room', allowed: everyone, run: async (who, { room }) => who.get(`/api/v1/rooms/${await room()}`) },
  { action: 'read a room in a private community', allowed: [...staff, 'owner', 'member'], run: async (who, { room }) => who.get(`/api/v1/rooms/${await room('hidden')}`) },
  { action: 'edit a room', allowed: ['admin', 'owner'], run: async (who, { room }) => who.put(`/api/v1/rooms/${await room()}`, { title: 'd' }) },
  { action: 'get the address a room is streamed to', allowed: ['admin', 'owner'], run: async (who, { room }) => who.get(`/api/v1/rooms/${await room()}/token`) },
  { action: 'stop a room', allowed: ['admin', 'owner'], run: async (who, { room }) => who.post(`/api/v1/rooms/${await room()}/stop`) },
  { action: 'see who was invited to a room', allowed: ['admin', 'owner'], run: async (who, { room }) => who.get('/api/v1/invitations', { type: 'livestreamCohostInvite', targetType: 'room', targetId: await room() }) },
  { action: 'report the pictures of a room', allowed: ['admin'], run: async (who, { room }) => who.post(`/api/v1/rooms/${await room()}/moderation`, { category: 'violence', confidence: 0.1 }) },
  { action: 'delete a room', allowed: ['admin', 'owner'], run: async (who, { room }) => who.delete(`/api/v1/rooms/${await room()}`) },
  { action: 'delete a community', allowed: [...staff, 'owner'], run: async (who, { as }) => who.delete(`/api/v3/communities/${await createCommunity(as.owner)}`) },
] // prettier-ignore

const createCommunity = async (owner: TestClient, fields: Record<string, unknown> = {}): Promise<string> =>
  (await owner.post('/api/v3/communities', { displayName: `made ${made++}`, ...fields })).body.communities[0]
    .communityId

let server: TestServer
let world: World
const table: string[] = []

beforeAll(async () => {
  server = await startTestServer()
  await server.as('victim')
  const clients = await Promise.all(
    people.map((person) => (person === 'admin' ? server.asAdmin() : server.as(person))),
  )
  const as = Object.fromEntries(people.map((person, i) => [person, clients[i]!])) as World['as']
  await as.admin.put('/api/v3/users', { userId: 'superMod', roles: ['super-moderator'] })
  await as.admin.put('/api/v3/users', { userId: 'moderator', roles: ['moderator'] })
  const community = await createCommunity(as.owner, { userIds: ['member'] })
  const hidden = await createCommunity(as.owner, { isPublic: false, userIds: ['member'] })
  const { body } = await as.owner.post('/api/v3/channels', { type: 'community', displayName: 'Channel' })
  const post = async (target: 'community' | 'user' = 'user') =>
    (
      await as.owner.post('/api/v4/posts', {
        ...(target === 'community' && { targetType: 'community', targetId: community }),
        data: { text: 'x' },
      })
    ).body.posts[0].postId as string
  await as.admin.put('/api/v3/network-settings/video-streaming', {
    moderation: {
      enabled: true,
      categories: [{ category: 'violence', flagThreshold: 0.4, terminateThreshold: 0.75 }],
    },
  })
  const room = async (target?: 'hidden') => {
    const answer = await as.owner.post('/api/v1/rooms', { title: 'Room', liveChatEnabled: false })
    const { roomId } = answer.body.rooms[0] as { roomId: string }
    const data = { text: 'x', roomId }
    if (target === 'hidden')
      await as.owner.post('/api/v4/posts', {
        targetType: 'community',
        targetId: hidden,
        dataType: 'room',
        data,
      })
    return roomId
  }
  world = { as, community, hidden, channel: body.channels[0].channelId, post, room }
})

afterAll(async () => {
  const width = Math.max(...rows.map(({ action }) => action.length))
  console.log(
    [`${''.padEnd(width)}  ${people.map((person) => person.padEnd(9)).join(' ')}`, ...table].join('\n'),
  )
  await server.close()
})

describe('who may do what', () => {
  it.each(rows)('$action', async ({ action, allowed, run }) => {
    const seen: string[] = []
    for (const person of people) {
      const { status } = await run(world.as[person], world)
      seen.push(status === 200 ? 'yes' : status === 403 || status === 404 ? 'no' : String(status))
    }
    const width = Math.max(...rows.map((row) => row.action.length))
    table.push(`${action.padEnd(width)}  ${seen.map((cell) => cell.padEnd(9)).join(' ')}`)
    expect(Object.fromEntries(people.map((person, i) => [person, seen[i]]))).toEqual(
      Object.fromEntries(people.map((person) => [person, allowed.includes(person) ? 'yes' : 'no'])),
    )
  })
})
