import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createComment, createPost, path } from '../../../test/factories/comments.ts'
import { createCommunity } from '../../../test/factories/communities.ts'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { listen, type Listener } from '../../../test/harness/listener.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { commentEvents } from './events.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let postId: string
let postPath: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  const { communityId } = await createCommunity(alice, { userIds: ['bob'] })
  const post = await createPost(alice, { targetType: 'community', targetId: communityId })
  postId = post.postId
  postPath = post.path
})
afterAll(() => server.close())

const reaction = (referenceId: string) => ({ referenceId, referenceType: 'comment', reactionName: 'like' })
type Act = (id: string) => Promise<Pick<TestAnswer, 'status'>>

/** What bob does to a comment of his, after what; what alice hears then, and what webhooks hear. */
const stories: [event: string, webhook: string | null, before: Act[], act: Act, beside: object][] = [
  ['comment.updated', 'v3.comment.didUpdate', [], (id) => bob.put(path(id), { data: { text: 'changed' } }), {}],
  ['comment.deleted', 'v3.comment.didDelete', [], (id) => bob.delete(path(id)), {}],
  ['comment.flagged', 'v3.comment.didFlag', [], (id) => bob.post(path(id, '/flag')), { flaggedUserId: 'bob' }],
  ['comment.unflagged', 'v3.comment.didUnflag', [(id) => bob.post(path(id, '/flag'))], (id) => bob.delete(path(id, '/unflag')), { flaggedUserId: 'bob' }],
  ['comment.flagsCleared', null, [(id) => bob.post(path(id, '/flag'))], (id) => alice.delete(path(id, '/flags')), { flaggedUserId: 'alice' }],
  ['comment.addReaction', 'v3.comment.didAddReaction', [], (id) => bob.post('/api/v2/reactions', reaction(id)), { reactor: { userId: 'bob', reactionName: 'like' } }],
  ['comment.removeReaction', 'v3.comment.didRemoveReaction', [(id) => bob.post('/api/v2/reactions', reaction(id))], (id) => bob.delete('/api/v2/reactions', reaction(id)), { reactor: { userId: 'bob', reactionName: 'like' } }],
] // prettier-ignore
const keys = ['comments', 'commentChildren', 'communityUsers', 'users', 'files']

async function hearing<T>(topic: string, work: (listener: Listener) => Promise<T>): Promise<T> {
  await server.settled()
  const listener = await listen(server, alice, [topic])
  try {
    return await work(listener)
  } finally {
    listener.close()
  }
}

describe.each(stories)('%s', (event, webhook, before, act, beside) => {
  it('reaches those who listen to the comment, as the clients read it, once', async () => {
    const comment = await createComment(bob, postId, { mentionees: [{ userIds: ['alice'] }] })
    for (const step of before) expect((await step(comment.commentId)).status).toBe(200)
    await hearing(comment.path, async (listener) => {
      expect((await act(comment.commentId)).status).toBe(200)
      const told = await listener.next(event)
      expect(told.path).toBe(comment.path)
      for (const key of keys) expect(told.data[key]).toBeInstanceOf(Array)
      expect(told.data).toMatchObject(beside)
      expect(told.data.users.map((user: { userId: string }) => user.userId)).toContain('bob')
      expect(told.data.communityUsers).toMatchObject([{ userId: 'bob' }])
      // The comment as anybody would read it now, but for what is personal.
      const { myReactions: _personal, ...now } = (await alice.get(path(comment.commentId))).body.comments[0]
      expect(told.data.comments).toEqual([now])
      await server.settled()
      expect(listener.names().filter((name) => name === event)).toHaveLength(1)
    })
  })

  it('has its webhook twin', () => {
    const definition = commentEvents.find((one) => one.name === event)!
    const twins = definition.webhooks.filter(({ notification }) => notification === undefined)
    expect(twins.map(({ name }) => name)).toEqual(webhook ? [webhook] : [])
    for (const twin of twins) expect(twin.shape).toBe(definition.realtime!.shape)
    expect(Object.keys(definition.realtime!.shape!).sort()).toEqual([...keys].sort())
  })
})

describe('comment.created', () => {
  it.each([
    ['comment', 'v3.comment.didCreate', 'comment.created', undefined],
    ['answer', 'v3.comment.didReply', 'comment.replied', 'the parent'],
  ])('of a %s reaches those who listen to the post', async (_what, webhook, name, parentId) => {
    if (parentId) await createComment(bob, postId, { commentId: parentId })
    await hearing(`${postPath}/#`, async (listener) => {
      const { myReactions: _personal, ...made } = await createComment(bob, postId, { parentId })
      const told = await listener.next('comment.created')
      expect(told.data.comments).toEqual([made])
      expect(told.data.comments[0].parentId).toBe(parentId)
      expect(listener.names()).toHaveLength(1)
    })
    expect(commentEvents.find((event) => event.name === name)!.webhooks[0]).toMatchObject({ name: webhook })
  })

  it('on content reaches those who listen to the content', async () => {
    const on = { referenceType: 'content', referenceId: 'an article/1' }
    const first = await createComment(bob, '', on)
    await hearing(first.path.replace(/\/comment\/.*/, '/#'), async (listener) => {
      const made = await createComment(bob, '', on)
      const { data } = await listener.next('comment.created')
      expect(data.comments).toMatchObject([{ commentId: made.commentId }])
    })
  })
})

describe('deleting a thread', () => {
  it.each([
    ['softly', ''],
    ['for good', '?permanent=true'],
  ])('%s tells of each comment that goes, without what it said', async (_how, query) => {
    const top = await createComment(bob, postId)
    const answer = await createComment(bob, postId, { parentId: top.commentId, metadata: { a: 1 } })
    await hearing(`${postPath}/#`, async (listener) => {
      await bob.delete(path(top.commentId, query, 'v4'))
      const told = [await listener.next('comment.deleted'), await listener.next('comment.deleted')]
      const comments = told.map(({ data }) => data.comments)
      expect(comments.map(([comment]) => comment.commentId).sort()).toEqual(
        [top.commentId, answer.commentId].sort(),
      )
      for (const { data } of told) {
        expect(data.comments).toMatchObject([
          { isDeleted: true, data: { text: '' }, metadata: {}, children: [] },
        ])
        expect(data.comments[0]).not.toHaveProperty('myReactions')
        expect(data.users).toMatchObject([{ userId: 'bob' }])
        for (const key of keys) expect(data[key]).toBeInstanceOf(Array)
      }
    })
  })
})

it('nobody hears of what is refused or changes nothing', async () => {
  const { commentId } = await createComment(bob, postId)
  await hearing(`${postPath}/#`, async (listener) => {
    await bob.delete(path(commentId, '/unflag'))
    await alice.delete(path(commentId, '/flags'))
    await bob.put(path(commentId), { data: { text: '' } })
    await bob.delete('/api/v2/reactions', reaction(commentId))
    await createComment(bob, postId)
    await listener.next('comment.created')
    expect(listener.names()).toEqual(['comment.created'])
  })
})
