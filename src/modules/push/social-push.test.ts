import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ok } from '../../../test/factories/chat.ts'
import { createComment } from '../../../test/factories/comments.ts'
import { createCommunity, join, privacies } from '../../../test/factories/communities.ts'
import { follow } from '../../../test/factories/follows.ts'
import {
  createPost,
  inCommunity,
  uploadPicture,
  path as postPath,
  react,
} from '../../../test/factories/posts.ts'
import { createStory } from '../../../test/factories/stories.ts'
import { createPushSink } from './sink.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startPushWorld, type PushWorld } from '../../../test/harness/push-world.ts'

let world: PushWorld
let ann: TestClient
let bob: TestClient
let cat: TestClient
beforeAll(async () => {
  world = await startPushWorld()
  const as = (name: string) => world.server.as(name)
  ;[ann, bob, cat] = await Promise.all([as('ann'), as('bob'), as('cat')])
})
beforeEach(async () => {
  for (const client of [ann, bob, cat]) await world.phone(client)
})
afterAll(() => world.close())

const told = async () =>
  (await world.shown()).map(({ token, title, body, data }) => [
    token.replace('phone-of-', ''),
    data.eventName,
    title,
    body,
  ])
const mention = (...userIds: string[]) => ({ mentionees: [{ type: 'user', userIds }] })

it('pushes what happens to a person’s posts and comments', async () => {
  const post = await createPost(ann, mention('bob'))
  expect(await told()).toEqual([
    ['bob', 'text-mention-user-feed-post.created', 'ann', 'ann mentioned you in a post.'],
  ])
  const comment = await createComment(bob, post.postId, { data: { text: 'Fine' } })
  ok(await react(cat, post.postId))
  expect(await told()).toEqual([
    ['ann', 'comment.created', 'bob', 'bob commented on your post: Fine'],
    ['ann', 'post.reacted', 'cat', 'cat reacted to your post.'],
  ])
  await createComment(cat, post.postId, { parentId: comment.commentId, ...mention('ann') })
  expect(await told()).toEqual([
    ['ann', 'text-mention-user-feed-comment.replied', 'cat', 'cat mentioned you in a reply: A comment'],
    ['bob', 'comment.replied', 'cat', 'cat replied to your comment: A comment'],
  ])
  ok(await follow(cat, 'ann'))
  expect(await told()).toEqual([['ann', 'follow.created', 'cat', 'cat started following you.']])
})

it('pushes posts to the members of a community, mentions in their place, and review to its reviewers', async () => {
  const { communityId } = await createCommunity(ann, {
    displayName: 'Birds',
    needApprovalOnPostCreation: true,
  })
  for (const client of [bob, cat]) ok(await join(client, communityId))
  await createPost(ann, { ...inCommunity(communityId), ...mention('bob') })
  expect(await told()).toEqual([
    ['bob', 'text-mention-post.created', 'Birds', 'ann mentioned you in a post.'],
    ['cat', 'post.created', 'Birds', 'ann posted: A post'],
  ])
  const waiting = await createPost(cat, inCommunity(communityId))
  expect(await told()).toEqual([['ann', 'post.need-reviewing', 'Birds', 'A post of cat waits for review.']])
  ok(await ann.post(postPath(waiting.postId, '/approve')))
  expect(await told()).toEqual([
    ['ann', 'post.created', 'Birds', 'cat posted: A post'],
    ['bob', 'post.created', 'Birds', 'cat posted: A post'],
    ['cat', 'post.approved', 'Birds', 'Your post was approved.'],
  ])
  const off = { level: 'community', communityId, isPushNotifiable: false }
  ok(await bob.post('/api/v3/notification/setting', off))
  await createPost(ann, inCommunity(communityId))
  expect((await told()).map(([name]) => name)).toEqual(['cat'])
})

it('pushes roles given, stories and live streams of a community', async () => {
  const { communityId } = await createCommunity(ann, { displayName: 'Birds' })
  ok(await join(bob, communityId))
  const roles = { userIds: ['bob'], roles: ['community-moderator'] }
  ok(await ann.post(`/api/v4/communities/${communityId}/users/roles`, roles))
  expect(await told()).toEqual([['bob', 'community.roleAdded', 'Birds', 'You were given a role.']])
  const { db } = world.server.app
  const story = { targetType: 'community', targetId: communityId, data: { text: '' } }
  const made = await ann.post('/api/v4/stories', {
    ...story,
    referenceId: 'a-story',
    dataType: 'image',
    data: { fileId: await uploadPicture(ann), imageDisplayMode: 'fit' },
  })
  ok(made)
  expect(await told()).toEqual([['bob', 'story.created', 'Birds', 'ann added a story.']])
  const post = await createPost(ann, inCommunity(communityId))
  await told()
  // A live stream needs a stream; what is told depends on what is attached alone.
  await db
    .updateTable('posts')
    .set({ attachedTypes: ['liveStream'] })
    .where('id', '=', post.postId)
    .execute()
  const definition = { name: '', audiences: () => [], realtime: null, webhooks: [] }
  const event = { id: 'e', name: 'post.created', position: 1, actorId: ann.id, createdAt: new Date() }
  const subject = { id: post.postId, targetType: 'community', targetId: communityId }
  await createPushSink(db, () => {}).take([{ ...event, audiences: [], subject, definition }])
  expect(await told()).toEqual([
    ['bob', 'video-streaming-post.created', 'Birds', 'ann shared a live stream.'],
  ])
})

it('pushes nothing of a place to who may not read it', async () => {
  const { communityId } = await createCommunity(ann, { ...privacies.hidden, userIds: ['cat'] })
  const post = await createPost(ann, { ...inCommunity(communityId), ...mention('bob') })
  await createComment(ann, post.postId, mention('bob', 'cat'))
  expect((await told()).map(([name, event]) => [name, event])).toEqual([
    ['cat', 'post.created'],
    ['cat', 'text-mention-comment.created'],
  ])
})

it('costs a row for each phone, not for each member', async () => {
  const { communityId } = await createCommunity(ann)
  ok(await join(bob, communityId))
  const { db } = world.server.app
  const at = new Date()
  const crowd = Array.from({ length: 500 }, (_, i) => `${i}`.padStart(24, 'f'))
  await db
    .insertInto('users')
    .values(crowd.map((id) => ({ id, userId: `crowd-${id}`, createdAt: at, updatedAt: at })))
    .execute()
  await db
    .insertInto('communityMembers')
    .values(
      crowd.map((userId) => ({
        communityId,
        userId,
        membership: 'member',
        lastActivity: at,
        createdAt: at,
        updatedAt: at,
      })),
    )
    .execute()
  world.apns.answer = () => ({ status: 503 })
  await createPost(ann, inCommunity(communityId))
  await world.server.settled()
  const rows = async () => (await db.selectFrom('pushDeliveries').select('deviceId').execute()).length
  await expect.poll(rows).toBe(1)
  world.apns.answer = () => ({ status: 200 })
  await db.deleteFrom('pushDeliveries').execute()
})

it('pushes comments on a story to who made it', async () => {
  const { communityId } = await createCommunity(ann, { displayName: 'Birds' })
  ok(await join(bob, communityId))
  const { storyId } = await createStory(ann, communityId)
  await told()
  await createComment(bob, storyId, { referenceType: 'story', data: { text: 'Lovely' } })
  await createComment(ann, storyId, { referenceType: 'story' })
  const [pushed, ...others] = await world.shown()
  expect(others).toEqual([])
  expect(pushed).toMatchObject({
    token: 'phone-of-ann',
    title: 'Birds',
    body: 'bob commented on your story: Lovely',
    data: { eventName: 'story-comment.created', referenceType: 'story', referenceId: storyId },
  })
})
