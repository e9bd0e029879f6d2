import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { ok } from '../../../test/factories/chat.ts'
import { createComment } from '../../../test/factories/comments.ts'
import {
  createCommunity,
  join,
  path as communityPath,
  privacies,
} from '../../../test/factories/communities.ts'
import { accept, block, follow, setSocial, unblock, unfollow } from '../../../test/factories/follows.ts'
import { createPost, inCommunity, path as postPath, react } from '../../../test/factories/posts.ts'
import { findEventsAfter } from '../../kernel/outbox/store.ts'
import { createTraySink } from './index.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { countQueries } from '../../../test/harness/count-queries.ts'

type Item = TestAnswer['body']

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const tray = '/api/v1/notification-tray'
const mention = (...userIds: string[]) => ({ mentionees: [{ type: 'user', userIds }] })
const reactTo = (client: TestClient, commentId: string, method: 'post' | 'delete' = 'post') =>
  client[method]('/api/v2/reactions', {
    referenceType: 'comment',
    referenceId: commentId,
    reactionName: 'like',
  })

async function readTray(client: TestClient, query = {}): Promise<TestAnswer['body']> {
  await server.settled()
  return ok(await client.get(tray, query))
}

async function itemsOf(client: TestClient): Promise<Item[]> {
  return (await readTray(client)).notificationTrayItems
}

/** People of one test, so that tests do not meet in each other's trays. */
let told = 0
async function people<const Names extends string[]>(...names: Names) {
  told++
  const clients = await Promise.all(names.map((name) => server.as(`${name}${told}`)))
  return clients as { [K in keyof Names]: TestClient }
}

it('gathers the reactions to a post, however many people reacted', async () => {
  const [ann, bob, cat, dan] = await people('ann', 'bob', 'cat', 'dan')
  const post = await createPost(ann)
  ok(await react(bob, post.postId))
  const { notificationTrayItems, users } = await readTray(ann)
  expect(notificationTrayItems).toHaveLength(1)
  const [item] = notificationTrayItems
  expect(item).toMatchObject({
    actors: [{ _id: bob.id, publicId: bob.userId }],
    actorsCount: 1,
    trayItemCategory: 'reaction_on_post',
    actionType: 'reaction',
    actionReferenceId: post.postId,
    referenceId: post.postId,
    referenceType: 'post',
    targetType: 'user',
    targetId: ann.userId,
    lastSeenAt: '1970-01-01T00:00:00.000Z',
    text: `${bob.userId} reacted to your post.`,
    templatedText: `{{ userId: ${bob.id} }} reacted to your post.`,
  })
  expect(item.daySegment).toBe(`${item.lastOccurredAt.slice(0, 10)}T00:00:00.000Z`)
  expect(users.map((user: Item) => user.userId)).toEqual([bob.userId])

  ok(await react(cat, post.postId, 'love'))
  expect((await itemsOf(ann))[0].text).toBe(`${cat.userId} and ${bob.userId} reacted to your post.`)
  ok(await react(dan, post.postId))
  ok(await react(dan, post.postId, 'wow'))
  const [all, ...others] = await itemsOf(ann)
  expect(others).toEqual([])
  expect(all).toMatchObject({
    _id: item._id,
    actorsCount: 3,
    text: `${dan.userId} and 2 others reacted to your post.`,
    templatedText: `{{ userId: ${dan.id} }} and {{ 2 others }} reacted to your post.`,
  })
  expect(all.actors.map((actor: Item) => actor._id)).toEqual([dan.id, cat.id, bob.id])
})

it('forgets what was taken back, deleted, or done by people who are gone', async () => {
  const [ann, bob, cat] = await people('ann', 'bob', 'cat')
  const post = await createPost(ann)
  const comment = await createComment(bob, post.postId)
  ok(await reactTo(ann, comment.commentId))
  ok(await react(cat, post.postId))
  expect((await itemsOf(bob)).map((item) => item.trayItemCategory)).toEqual(['reaction_on_comment'])
  ok(await reactTo(ann, comment.commentId, 'delete'))
  expect(await itemsOf(bob)).toEqual([])

  expect((await itemsOf(ann)).map((item) => item.actionType)).toEqual(['reaction', 'comment'])
  ok(await bob.delete(`/api/v3/comments/${comment.commentId}`))
  expect((await itemsOf(ann)).map((item) => item.actionType)).toEqual(['reaction'])
  ok(await block(ann, cat.userId))
  expect(await itemsOf(ann)).toEqual([])
  ok(await unblock(ann, cat.userId))
  expect(await itemsOf(ann)).toHaveLength(1)
  ok(await (await server.asAdmin()).post('/api/v2/users/ban', { userId: cat.userId }))
  expect(await itemsOf(ann)).toEqual([])
})

it('tells nobody of what they did themselves', async () => {
  const [ann] = await people('ann')
  const post = await createPost(ann, mention(ann.userId))
  const comment = await createComment(ann, post.postId, mention(ann.userId))
  await createComment(ann, post.postId, { parentId: comment.commentId })
  ok(await react(ann, post.postId))
  ok(await reactTo(ann, comment.commentId))
  expect(await itemsOf(ann)).toEqual([])
})

it('tells of comments and answers, and of a mention in their place', async () => {
  const [ann, bob, cat] = await people('ann', 'bob', 'cat')
  const post = await createPost(ann)
  const first = await createComment(bob, post.postId)
  const second = await createComment(cat, post.postId, { commentId: `named-${told}` })
  const [comments] = await itemsOf(ann)
  expect(comments).toMatchObject({
    actionType: 'comment',
    referenceId: post.postId,
    actionReferenceId: second.commentId,
    latestCommentId: second.commentId,
    text: `${cat.userId} and ${bob.userId} commented on your post.`,
  })
  expect(comments).not.toHaveProperty('trayItemCategory')
  expect(comments).not.toHaveProperty('parentId')

  const answer = await createComment(ann, post.postId, { parentId: second.commentId })
  const [reply] = await itemsOf(cat)
  expect(reply).toMatchObject({
    actionType: 'reply',
    parentId: second.commentId,
    rootId: second.commentId,
    referenceId: post.postId,
    actionReferenceId: answer.commentId,
    text: `${ann.userId} replied to your comment.`,
  })
  ok(await reactTo(cat, answer.commentId))
  expect((await itemsOf(ann))[0]).toMatchObject({
    trayItemCategory: 'reaction_on_reply',
    actionReferenceId: answer.commentId,
    parentId: second.commentId,
  })

  await createComment(cat, post.postId, { parentId: first.commentId, ...mention(bob.userId, ann.userId) })
  expect((await itemsOf(bob)).map((item) => item.trayItemCategory)).toEqual(['mention_in_reply'])
  await createComment(bob, post.postId, mention(ann.userId))
  const [mentioned, , , untouched] = await itemsOf(ann)
  expect(mentioned.trayItemCategory).toBe('mention_in_comment')
  expect(untouched.actorsCount).toBe(2)
})

it('tells of mentions, also those an edit adds, once', async () => {
  const [ann, bob, cat] = await people('ann', 'bob', 'cat')
  const post = await createPost(ann, mention(bob.userId))
  const [item] = await itemsOf(bob)
  expect(item).toMatchObject({ trayItemCategory: 'mention_in_post', actionReferenceId: post.postId })
  const text = { data: { text: 'Changed' } }
  ok(await ann.put(postPath(post.postId), { ...text, ...mention(bob.userId, cat.userId) }))
  expect((await itemsOf(cat)).map((other) => other.trayItemCategory)).toEqual(['mention_in_post'])
  expect(await itemsOf(bob)).toEqual([item])
  ok(await ann.delete(postPath(post.postId)))
  expect(await itemsOf(bob)).toEqual([])
})

it('tells the members of a community of posts and polls in it, by one line for all', async () => {
  const [ann, bob, cat, dan] = await people('ann', 'bob', 'cat', 'dan')
  const community = await createCommunity(ann, { displayName: 'Birds' })
  for (const member of [bob, cat]) ok(await join(member, community.communityId))
  const post = await createPost(ann, inCommunity(community.communityId))
  const [item] = await itemsOf(bob)
  expect(item).toMatchObject({
    actionType: 'post',
    targetType: 'community',
    targetId: community.communityId,
    actionReferenceId: post.postId,
    text: `${ann.userId} posted in Birds.`,
    templatedText: `{{ userId: ${ann.id} }} posted in {{ communityId: ${community.communityId} }}.`,
  })
  expect((await itemsOf(cat)).map(({ _id }) => _id)).toEqual([item._id])
  expect(await itemsOf(ann)).toEqual([])
  ok(await join(dan, community.communityId))
  expect(await itemsOf(dan)).toEqual([])

  await createPost(bob, { ...inCommunity(community.communityId), ...mention(cat.userId) })
  expect((await itemsOf(cat)).map(({ text }) => text)).toEqual([
    `${bob.userId} mentioned you in a post.`,
    `${ann.userId} posted in Birds.`,
  ])
  expect((await itemsOf(dan)).map(({ text }) => text)).toEqual([`${bob.userId} posted in Birds.`])
  const poll = ok(
    await ann.post('/api/v3/polls', {
      question: 'Which?',
      answers: [{ data: 'A' }, { data: 'B' }],
    }),
  ).polls[0]
  await createPost(ann, {
    ...inCommunity(community.communityId),
    dataType: 'poll',
    data: { text: 'Vote', pollId: poll.pollId },
  })
  expect((await itemsOf(dan))[0]).toMatchObject({
    actionType: 'poll',
    text: `${ann.userId} created a poll in Birds.`,
  })
  ok(await dan.delete(communityPath(community.communityId, '/leave')))
  expect(await itemsOf(dan)).toEqual([])
})

it('keeps silent communities silent, and tells of a reviewed post when it is published', async () => {
  const [ann, bob, cat] = await people('ann', 'bob', 'cat')
  const silent = await createCommunity(ann, { notificationMode: 'silent' })
  const reviewed = await createCommunity(ann, { needApprovalOnPostCreation: true })
  for (const { communityId } of [silent, reviewed]) {
    for (const member of [bob, cat]) ok(await join(member, communityId))
  }
  await createPost(ann, inCommunity(silent.communityId))
  const waiting = await createPost(cat, { ...inCommunity(reviewed.communityId), ...mention(ann.userId) })
  expect(await itemsOf(bob)).toEqual([])
  expect(await itemsOf(ann)).toEqual([])
  ok(await ann.post(postPath(waiting.postId, '/approve')))
  expect((await itemsOf(bob)).map((item) => item.actors[0].publicId)).toEqual([cat.userId])
})

it('hides what is in a place the reader may no longer read', async () => {
  const [ann, bob] = await people('ann', 'bob')
  const hidden = await createCommunity(ann, { ...privacies.hidden, userIds: [bob.userId] })
  const post = await createPost(ann, { ...inCommunity(hidden.communityId), ...mention(bob.userId) })
  await createComment(ann, post.postId, mention(bob.userId))
  expect(await itemsOf(bob)).toHaveLength(2)
  ok(await ann.delete(communityPath(hidden.communityId, '/users'), { userIds: [bob.userId] }))
  expect(await itemsOf(bob)).toEqual([])
  expect(ok(await bob.get(`${tray}/tray/seen`)).lastTrayOccurredAt).toBe('1970-01-01T00:00:00.000Z')
})

it('tells of followers, requests and their answers', async () => {
  const [ann, bob] = await people('ann', 'bob')
  ok(await follow(bob, ann.userId))
  expect((await itemsOf(ann))[0]).toMatchObject({
    trayItemCategory: 'follow',
    actionType: 'user',
    actors: [{ publicId: bob.userId }],
    actionReferenceId: bob.userId,
    text: `${bob.userId} started following you.`,
  })
  ok(await unfollow(bob, ann.userId))
  expect(await itemsOf(ann)).toEqual([])
  await setSocial(server, { isFollowWithRequestEnabled: true })
  ok(await follow(bob, ann.userId))
  expect((await itemsOf(ann))[0].text).toBe(`${bob.userId} requested to follow you.`)
  ok(await accept(ann, bob.userId))
  await setSocial(server, { isFollowWithRequestEnabled: false })
  expect((await itemsOf(bob))[0].text).toBe(`${ann.userId} accepted your follow request.`)
})

it('tells keepers of a community of those who wish to join, and those of the answer', async () => {
  const [ann, bob, cat] = await people('ann', 'bob', 'cat')
  const { communityId } = await createCommunity(ann, { displayName: 'Owls', requiresJoinApproval: true })
  for (const asking of [bob, cat]) ok(await join(asking, communityId))
  expect((await itemsOf(ann))[0]).toMatchObject({
    actionType: 'join_request',
    targetId: communityId,
    actorsCount: 2,
    text: `${cat.userId} and ${bob.userId} requested to join Owls.`,
  })
  const answer = (client: TestClient, verdict: string) =>
    ann.post(communityPath(communityId, `/join/${verdict}`, 'v4'), { userId: client.userId })
  ok(await answer(bob, 'approve'))
  ok(await answer(cat, 'reject'))
  expect(await itemsOf(ann)).toEqual([])
  expect((await itemsOf(bob))[0]).toMatchObject({
    trayItemCategory: 'respond_on_join_request',
    text: `${ann.userId} approved your request to join Owls.`,
  })
  expect((await itemsOf(cat))[0].text).toBe(`${ann.userId} declined your request to join Owls.`)
})

it('is told the same when the outbox repeats itself', async () => {
  const [ann, bob] = await people('ann', 'bob')
  const post = await createPost(ann)
  ok(await react(bob, post.postId))
  await createComment(bob, post.postId, mention(ann.userId))
  const before = await readTray(ann)
  const rows = () =>
    server.app.db
      .selectFrom('notificationTrayActs')
      .select(({ fn }) => fn.countAll().as('n'))
      .execute()
  const acts = await rows()
  const sink = createTraySink(server.app.db)
  const events = await findEventsAfter(server.app.db, 0, 10_000)
  const definition = { name: '', audiences: () => [], realtime: null, webhooks: [] }
  await sink.take(events.map((event) => ({ ...event, definition })))
  expect(await readTray(ann)).toEqual(before)
  expect(await rows()).toEqual(acts)
})

it('marks items as seen, only one’s own, never back', async () => {
  const [ann, bob, cat] = await people('ann', 'bob', 'cat')
  const posts = [await createPost(ann), await createPost(ann)]
  for (const { postId } of posts) ok(await react(bob, postId))
  const [first, second] = await itemsOf(ann)
  const seenAt = new Date(Date.parse(first.lastOccurredAt) + 1).toISOString()
  const mark = (client: TestClient, id: string, lastSeenAt?: string) =>
    client.post(`${tray}/items/seen`, { trayItems: [{ id, lastSeenAt }] })
  expect(ok(await mark(ann, first._id, seenAt))).toEqual({
    trayItems: [{ id: first._id, lastSeenAt: seenAt }],
  })
  expect(ok(await mark(ann, first._id, first.daySegment)).trayItems[0].lastSeenAt).toBe(seenAt)
  expect(ok(await mark(cat, first._id)).trayItems).toEqual([])
  expect(ok(await mark(ann, 'none')).trayItems).toEqual([])
  expect((await itemsOf(ann)).map((item) => item.lastSeenAt > item.lastOccurredAt)).toEqual([true, false])
  const body = ok(await ann.get(`${tray}/tray/seen`))
  expect(body.lastTrayOccurredAt).toBe(first.lastOccurredAt)
  expect(second.lastOccurredAt < first.lastOccurredAt).toBe(true)
  expect((await ann.post(`${tray}/items/seen`, { trayItems: [] })).status).toBe(422)
  const many = Array.from({ length: 101 }, (_, i) => ({ id: `${i}` }))
  expect((await ann.post(`${tray}/items/seen`, { trayItems: many })).status).toBe(422)
  expect((await ann.post(`${tray}/items/seen`, { trayItems: many.slice(1) })).status).toBe(200)
})

it('pages through all of it in as many queries for one as for many, and forgets after 90 days', async () => {
  const [ann, bob] = await people('ann', 'bob')
  const { communityId } = await createCommunity(ann)
  ok(await join(bob, communityId))
  await createPost(bob, inCommunity(communityId))
  const posts = await Promise.all(Array.from({ length: 12 }, () => createPost(ann)))
  for (const { postId } of posts) ok(await react(bob, postId))
  const whole = (await readTray(ann, { options: { limit: 50 } })).notificationTrayItems
  expect(whole).toHaveLength(13)
  const counted = (limit: number) => countQueries(() => ann.get(tray, { options: { limit } }))
  await counted(1)
  expect(await counted(50)).toBe(await counted(2))

  const paged: Item[] = []
  for (let token: string | undefined, first = true; first || token; first = false) {
    const page = await readTray(ann, { options: token ? { token } : { limit: 5 } })
    paged.push(...page.notificationTrayItems)
    token = page.paging.next
  }
  expect(paged).toEqual(whole)
  const forged = Buffer.from('{"limit":5,"after":["x"]}').toString('base64')
  expect((await ann.get(tray, { options: { token: forged } })).status).toBe(400)

  await server.app.db
    .updateTable('notificationTrayItems')
    .set({ lastOccurredAt: new Date(Date.now() - 91 * 86_400_000) })
    .where('id', '=', whole[0]._id)
    .execute()
  expect((await itemsOf(ann)).map(({ _id }) => _id)).not.toContain(whole[0]._id)
})
