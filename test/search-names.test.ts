import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChannel, say } from './factories/chat.ts'
import { createCommunity } from './factories/communities.ts'
import { createPost } from './factories/posts.ts'
import { createClient, type TestClient } from './harness/client.ts'
import { startTestServer, type TestServer } from './harness/server.ts'

/** Each search finds one thing, named `Ünïcode Größe 100%_x`, among others. */
const name = 'Ünïcode Größe 100%_x'
let server: TestServer
let alice: TestClient
let communityId: string
let channelId: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  await createClient(server.url, server.apiKey, 'unicode-user', name)
  await createClient(server.url, server.apiKey, 'other-user', 'Plain name 1000')
  ;({ communityId } = await createCommunity(alice, {
    displayName: name,
    userIds: ['unicode-user', 'other-user'],
  }))
  await createCommunity(alice, { displayName: 'Plain name 1000' })
  ;({ channelId } = await createChannel(alice, { type: 'community', displayName: name }))
  await createChannel(alice, { type: 'community', displayName: 'Plain name 1000' })
  await say(alice, channelId, name)
  await say(alice, channelId, 'Plain text 1000')
  await createPost(alice, { data: { text: '#Größe' }, hashtags: ['Größe'] })
  await createPost(alice, { data: { text: name } })
  await createPost(alice, { data: { text: 'Plain text 1000' } })
})
afterAll(() => server.close())

const searches: Record<string, (keyword: string) => [path: string, query: object, key: string]> = {
  users: (keyword) => ['/api/v3/users', { keyword }, 'users'],
  'users by part': (keyword) => ['/api/v3/users', { keyword, matchType: 'partial' }, 'users'],
  communities: (keyword) => ['/api/v3/communities', { keyword }, 'communities'],
  members: (search) => [`/api/v3/communities/${communityId}/users`, { search }, 'communityUsers'],
  channels: (keyword) => ['/api/v3/channels', { keyword }, 'channels'],
  'channels, searched': (query) => ['/api/v2/search/channels', { query }, 'channels'],
  messages: (query) => ['/api/v2/search/messages', { query, channelId }, 'messages'],
  'posts by words': (query) => ['/api/v1/semantic-search/posts', { query }, 'posts'],
  'communities by words': (query) => ['/api/v1/semantic-search/communities', { query }, 'communities'],
}

/** A community's channel has its name. */
const one = (kind: string) => (kind.startsWith('channels') ? 2 : 1)

describe.each(Object.keys(searches))('a search for %s', (kind) => {
  const found = async (keyword: string): Promise<number> => {
    const [path, query, key] = searches[kind]!(keyword)
    const { status, body } = await alice.get(path, query as Record<string, unknown>)
    expect(status, JSON.stringify(body)).toBe(200)
    return body[key].length
  }

  it('heeds neither case nor, in names and posts, marks', async () => {
    expect(await found('ünïcode')).toBe(one(kind))
    expect(await found('ÜNÏ')).toBe(one(kind))
    if (kind !== 'messages') expect(await found('unicode')).toBe(one(kind))
  })

  it.each([`'`, `' or zz=zz --`, `\\`, `"`, `$zz`, `); drop table users; --`, '{}', '[]'])(
    'takes %j as text',
    async (keyword) => {
      expect(await found(keyword)).toBe(0)
      expect(await found('ünïcode')).toBe(one(kind))
    },
  )
})

it('wildcards in names are letters', async () => {
  for (const keyword of ['100%_', '0%']) {
    for (const kind of ['users by part', 'communities', 'members', 'channels', 'messages']) {
      const [path, query, key] = searches[kind]!(keyword)
      const { body } = await alice.get(path, query as Record<string, unknown>)
      expect(body[key].length, `${kind} ${keyword}`).toBe(one(kind))
    }
  }
})

it('hashtags are found whole, without regard to case', async () => {
  const hashtags = async (...tags: string[]) =>
    (await alice.get('/api/v1/search/posts', { hashtags: tags })).body.posts.length as number
  expect(await hashtags('GRÖSSE')).toBe(0)
  expect(await hashtags('größe')).toBe(1)
  expect(await hashtags(`' or zz=zz --`)).toBe(0)
})
