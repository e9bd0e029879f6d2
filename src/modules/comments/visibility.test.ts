import { beforeAll, describe, expect, it } from 'vitest'
import { createComment, createPost, path, queryComments } from '../../../test/factories/comments.ts'
import { createCommunity, path as communityPath, privacies } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { server, alice, bob, carol, admin } = await startWithPeople()

/** A post of alice in a community of hers, with a comment of hers. */
async function commented(fields: Record<string, unknown>) {
  const { communityId } = await createCommunity(alice, fields)
  const { postId } = await createPost(alice, { targetType: 'community', targetId: communityId })
  const { commentId } = await createComment(alice, postId)
  return { communityId, postId, commentId }
}

const listed = async (client: TestClient, commentIds: string[]) =>
  ((await client.get('/api/v3/comments/list', { commentIds })).body.comments as { commentId: string }[]).map(
    (one) => one.commentId,
  )
const react = (client: TestClient, commentId: string, method: 'post' | 'delete' = 'post') =>
  client[method]('/api/v2/reactions', {
    referenceType: 'comment',
    referenceId: commentId,
    reactionName: 'like',
  })

/** Every way to a comment. Each answers 404 to those who may not see it; a list leaves it out. */
const ways: [string, (client: TestClient, postId: string, commentId: string) => Promise<{ status: number }>][] = [
  ['query', (client, postId) => queryComments(client, postId)],
  ['read', (client, _postId, commentId) => client.get(path(commentId))],
  ['edit', (client, _postId, commentId) => client.put(path(commentId), { data: { text: 'x' } })],
  ['delete', (client, _postId, commentId) => client.delete(path(commentId))],
  ['flag', (client, _postId, commentId) => client.post(path(commentId, '/flag'))],
  ['unflag', (client, _postId, commentId) => client.delete(path(commentId, '/unflag'))],
  ['clear flags', (client, _postId, commentId) => client.delete(path(commentId, '/flags'))],
  ['ask whether flagged', (client, _postId, commentId) => client.get(path(commentId, '/isflagbyme'))],
  ['react', (client, _postId, commentId) => react(client, commentId)],
  ['see who reacted', (client, _postId, commentId) => client.get('/api/v3/reactions', { referenceType: 'comment', referenceId: commentId })],
  ['comment', (client, postId) => client.post('/api/v3/comments', { referenceId: postId, data: { text: 'x' } })],
  ['answer', (client, postId, commentId) => client.post('/api/v3/comments', { referenceId: postId, parentId: commentId, data: { text: 'x' } })],
] // prettier-ignore

describe('what is on a hidden object is as if absent, for', () => {
  let place: { postId: string; commentId: string }

  describe.each<[string, () => Promise<typeof place>]>([
    ['a hidden community', () => commented(privacies.hidden)],
    ['a discoverable community', () => commented(privacies.discoverable)],
    [
      'a deleted post',
      async () => {
        const made = await commented({})
        await alice.delete(`/api/v4/posts/${made.postId}`)
        return made
      },
    ],
    [
      'a deleted community',
      async () => {
        const made = await commented({})
        expect((await alice.delete(communityPath(made.communityId))).status).toBe(200)
        return made
      },
    ],
    [
      'a post that waits for review',
      async () => {
        const made = await commented({})
        await server.app.db
          .updateTable('posts')
          .set({ feedType: 'reviewing' })
          .where('id', '=', made.postId)
          .execute()
        return made
      },
    ],
    [
      'the page of one who blocked the viewer',
      async () => {
        const dave = await server.as('dave')
        const { postId } = await createPost(dave)
        const { commentId } = await createComment(dave, postId)
        await dave.post('/api/v4/me/user-blocks/bob')
        return { postId, commentId }
      },
    ],
  ])('%s', (_name, make) => {
    beforeAll(async () => {
      place = await make()
    })
    it.each(ways)('to %s', async (_way, go) => {
      expect((await go(bob, place.postId, place.commentId)).status).toBe(404)
    })
    it('to list', async () => {
      const own = (await createComment(bob, (await createPost(bob)).postId)).commentId
      expect(await listed(bob, [place.commentId, own])).toEqual([own])
    })
  })

  it('in a hidden community, is there for members', async () => {
    const { communityId, postId, commentId } = await commented({ ...privacies.hidden, userIds: ['bob'] })
    expect((await queryComments(bob, postId)).ids).toEqual([commentId])
    expect(await listed(bob, [commentId])).toEqual([commentId])
    await bob.delete(communityPath(communityId, '/leave'))
    expect(await listed(bob, [commentId])).toEqual([])
  })
})

describe('people who blocked one another', () => {
  let postId: string
  let bobs: string
  let carols: string
  beforeAll(async () => {
    postId = (await createPost(alice)).postId
    bobs = (await createComment(bob, postId)).commentId
    carols = (await createComment(carol, postId)).commentId
    expect((await bob.post('/api/v4/me/user-blocks/carol')).status).toBe(200)
  })

  it('do not see what the other wrote, in full pages', async () => {
    expect((await queryComments(bob, postId)).ids).toEqual([bobs])
    expect((await queryComments(carol, postId)).ids).toEqual([carols])
    expect((await queryComments(carol, postId, { options: { limit: 1 } })).body.paging).toEqual({})
    expect(await listed(carol, [bobs, carols])).toEqual([carols])
    expect((await queryComments(alice, postId)).ids).toEqual([carols, bobs])
  })

  it.each(ways.filter(([way]) => way !== 'query' && way !== 'comment'))('cannot %s', async (_way, go) => {
    expect((await go(carol, postId, bobs)).status).toBe(404)
    expect((await go(bob, postId, carols)).status).toBe(404)
  })

  it('are seen by moderators all the same', async () => {
    await admin.post('/api/v4/me/user-blocks/carol')
    expect((await queryComments(admin, postId)).ids).toEqual([carols, bobs])
    expect(await listed(admin, [carols])).toEqual([carols])
    expect((await admin.get(path(carols))).status).toBe(200)
  })
})

it('shows visitors what they may read and lets them write nothing', async () => {
  const { postId, commentId } = await commented({})
  const signedIn = await fetch(`${server.url}/api/v5/sessions/visitor`, {
    method: 'POST',
    headers: { 'x-api-key': server.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ deviceId: 'a visitor' }),
  })
  const { accessToken } = (await signedIn.json()) as { accessToken: string }
  const ask = (method: string, where: string, body?: unknown) =>
    fetch(server.url + where, {
      method,
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  expect((await ask('GET', path(commentId))).status).toBe(200)
  for (const [method, where, body] of [
    ['POST', '/api/v3/comments', { referenceId: postId, data: { text: 'x' } }],
    ['PUT', path(commentId), { data: { text: 'x' } }],
    ['DELETE', path(commentId), undefined],
    ['POST', path(commentId, '/flag'), {}],
  ] as const) {
    expect((await ask(method, where, body)).status).toBe(403)
  }
})
