import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity } from '../../../test/factories/communities.ts'
import { createPost, inCommunity, path } from '../../../test/factories/posts.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

// Who may do what to a post of alice: on her page, in a community of which mia is moderator and bob a member.
const people = ['alice', 'bob', 'mia', 'stranger', 'supermod', 'admin'] as const
type Person = (typeof people)[number]
const places = ['page', 'open', 'closed'] as const

let server: TestServer
const clients = new Map<Person, TestClient>()
const communities = new Map<string, string>()
beforeAll(async () => {
  server = await startTestServer()
  for (const person of people)
    clients.set(person, person === 'admin' ? await server.asAdmin() : await server.as(person))
  const admin = clients.get('admin')!
  await admin.put('/api/v3/users', { userId: 'supermod', roles: ['super-moderator'] })
  const mia = clients.get('mia')!
  for (const [place, isPublic] of [
    ['open', true],
    ['closed', false],
  ] as const) {
    // prettier-ignore
    const { communityId } = await createCommunity(mia, { isPublic, userIds: ['alice', 'bob'] })
    communities.set(place, communityId)
  }
})
afterAll(() => server.close())

type Act = (client: TestClient, postId: string) => Promise<TestAnswer>
const acts: Record<string, Act> = {
  read: (client, id) => client.get(path(id)),
  react: (client, id) => client.post('/api/v2/reactions', { referenceType: 'post', referenceId: id, reactionName: 'like' }),
  comment: (client, id) => client.post('/api/v3/comments', { referenceType: 'post', referenceId: id, data: { text: 'x' } }),
  flag: (client, id) => client.post(path(id, '/flag'), {}),
  'clear flags': (client, id) => client.delete(path(id, '/flags')),
  edit: (client, id) => client.put(path(id), { text: 'y' }),
  versions: (client, id) => client.get(path(id, '/versions')),
  viewers: (client, id) => client.get(`/api/v1/analytics/views/posts/${id}/users`),
  approve: (client, id) => client.post(path(id, '/approve')),
  pin: (client, id) => client.post(`/api/v1/pinned-posts/communities/${communities.get('open')}/default/${id}`),
  feature: (client, id) => client.post(`/api/v1/pinned-posts/global/${id}`),
  delete: (client, id) => client.delete(path(id)),
} // prettier-ignore

// ● may; – 403; · 404, as if there were none; ! 409 or 400: may, but not in this state.
const matrix = `
              alice bob mia stranger supermod admin
page read     ●     ●   ●   ●        ●        ●
page react    ●     ●   ●   ●        ●        ●
page comment  ●     ●   ●   ●        ●        ●
page flag     ●     ●   ●   ●        ●        ●
page clear_flags –  –   –   –        ●        ●
page edit     ●     –   –   –        ●        ●
page versions ●     –   –   –        ●        ●
page viewers  ●     –   –   –        ●        ●
page approve  –     –   –   –        !        !
page feature  –     –   –   –        –        ●
page delete   ●     –   –   –        ●        ●
open read     ●     ●   ●   ●        ●        ●
open react    ●     ●   ●   –        –        –
open comment  ●     ●   ●   –        –        –
open flag     ●     ●   ●   ●        ●        ●
open clear_flags –  –   ●   –        ●        ●
open edit     ●     –   ●   –        ●        ●
open versions ●     –   ●   –        ●        ●
open viewers  ●     –   ●   –        ●        ●
open approve  –     –   !   –        !        !
open pin      –     –   ●   –        ●        ●
open feature  –     –   –   –        –        ●
open delete   ●     –   ●   –        ●        ●
closed read   ●     ●   ●   ·        ●        ●
closed react  ●     ●   ●   ·        –        –
closed comment ●    ●   ●   ·        –        –
closed flag   ●     ●   ●   ·        ●        ●
closed edit   ●     –   ●   ·        ●        ●
closed approve –    –   !   ·        !        !
closed delete ●     –   ●   ·        ●        ●
`
const signs: Record<string, number[]> = { '●': [200], '–': [403], '·': [404], '!': [409, 400] }

describe('who may do what to a post', () => {
  const lines = matrix.trim().split('\n').slice(1)
  it.each(lines.map((line) => line.trim().split(/\s+/)))('%s: %s', async (place, act, ...cells) => {
    const outcome: string[] = []
    for (const [i, person] of people.entries()) {
      const where = place === 'page' ? {} : inCommunity(communities.get(place!)!)
      const { postId } = await createPost(clients.get('alice')!, where)
      const { status } = await acts[act!.replace('_', ' ')]!(clients.get(person)!, postId)
      const sign = Object.keys(signs).find((one) => signs[one]!.includes(status)) ?? `${status}`
      outcome.push(`${person} ${sign}`)
      expect(cells[i], `${person}: ${status}`).toBeDefined()
    }
    expect(outcome).toEqual(people.map((person, i) => `${person} ${cells[i]}`))
  })

  it('is shown for every place', () =>
    expect(new Set(lines.map((line) => line.split(/\s+/)[0]))).toEqual(new Set(places)))
})

describe('who may post', () => {
  const settings: [name: string, fields: object, outcome: string][] = [
    ['in an open community', {}, 'alice ● bob ● mia ● stranger – supermod ● admin ●'],
    ['in a hidden community', { isPublic: false }, 'alice ● bob ● mia ● stranger · supermod ● admin ●'],
    [
      'where only moderators post',
      { onlyAdminCanPost: true },
      'alice – bob – mia ● stranger – supermod ● admin ●',
    ],
  ]
  it.each(settings)('%s', async (_name, fields, expected) => {
    const { communityId } = await createCommunity(clients.get('mia')!, {
      userIds: ['alice', 'bob'],
      ...fields,
    })
    const outcome: string[] = []
    for (const person of people) {
      const { status } = await clients
        .get(person)!
        .post('/api/v4/posts', { data: { text: 'x' }, ...inCommunity(communityId) })
      outcome.push(person, Object.keys(signs).find((one) => signs[one]!.includes(status)) ?? `${status}`)
    }
    expect(outcome.join(' ')).toBe(expected)
  })

  it('nobody who was banned', async () => {
    const { communityId } = await createCommunity(clients.get('mia')!, { userIds: ['alice', 'bob'] })
    await clients.get('mia')!.put(`/api/v3/communities/${communityId}/users/ban`, { userIds: ['bob'] })
    const answer = await clients
      .get('bob')!
      .post('/api/v4/posts', { data: { text: 'x' }, ...inCommunity(communityId) })
    expect(answer).toMatchObject({ status: 403, body: { code: 400304 } })
  })

  it('and visitors only read', async () => {
    const response = await fetch(`${server.url}/api/v5/sessions/visitor`, {
      method: 'POST',
      headers: { 'x-api-key': server.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ deviceId: 'a-visitor' }),
    })
    const { accessToken } = (await response.json()) as { accessToken: string }
    const { postId } = await createPost(clients.get('alice')!)
    const ask = (method: string, url: string, body?: object) =>
      fetch(server.url + url, {
        method,
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    expect((await ask('GET', path(postId))).status).toBe(200)
    for (const [method, url] of [
      ['POST', '/api/v4/posts'],
      ['PUT', path(postId)],
      ['POST', path(postId, '/flag')],
    ] as const) {
      // prettier-ignore
      const answer = await ask(method, url, { data: { text: 'x' } })
      expect([answer.status, ((await answer.json()) as { code: number }).code]).toEqual([403, 403999])
    }
  })
})
