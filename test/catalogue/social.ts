import { ok } from '../factories/chat.ts'
import { createComment, createPost } from '../factories/comments.ts'
import { createCommunity, join, path as communityPath } from '../factories/communities.ts'
import { createEvent, inHours, path as eventPath } from '../factories/events.ts'
import { inCommunity, path as postPath } from '../factories/posts.ts'
import { createStory, path as storyPath } from '../factories/stories.ts'
import { reactTo } from './reactions.ts'
import { topicsOf } from './sdk-listener.ts'
import type { World } from './world.ts'

const mentions = (userId: string) => ({ mentionees: [{ type: 'user', userIds: [userId] }] })

/** A community of Alice's, with what is in it on her screen. */
async function openCommunity({ alice, follow }: World, fields: object = {}) {
  const community = await createCommunity(alice, { ...fields })
  await follow(...topicsOf.community(community), ...topicsOf.stories(community))
  return community
}

/** Everything that is told of communities and their members. */
export async function communities(world: World): Promise<void> {
  const { alice, bob } = world
  const { communityId } = await openCommunity(world)
  const at = (rest: string) => communityPath(communityId, rest)
  const role = { userIds: ['bob'], role: 'community-moderator' }
  ok(await alice.put(at(''), { description: 'changed' }))
  ok(await join(bob, communityId))
  ok(await bob.delete(at('/leave')))
  ok(await alice.post(at('/users'), { userIds: ['bob', 'carol'] }))
  ok(await alice.post(at('/users/roles'), role))
  ok(await alice.delete(at('/users/roles'), role))
  ok(await alice.delete(at('/users'), { userIds: ['carol'] }))
  ok(await alice.put(at('/users/ban'), { userIds: ['bob'] }))
  ok(await alice.put(at('/users/unban'), { userIds: ['bob'] }))
  ok(await alice.delete(at('')))
}

/** Everything that is told of posts. */
export async function posts(world: World): Promise<void> {
  const { alice, bob, admin, follow } = world
  const { communityId } = await openCommunity(world, { userIds: ['bob'] })
  await follow(...topicsOf.page(alice))
  const { postId } = await createPost(bob, { ...inCommunity(communityId), ...mentions('alice') })
  ok(await bob.put(postPath(postId), { data: { text: 'changed' } }))
  ok(await alice.post(postPath(postId, '/flag')))
  ok(await alice.delete(postPath(postId, '/unflag')))
  ok(await alice.post(postPath(postId, '/flag')))
  ok(await admin.delete(postPath(postId, '/flags')))
  const own = await createPost(alice, mentions('bob'))
  await reactTo(bob, 'post', own.postId)
  ok(await bob.delete(postPath(postId)))
  ok(await alice.put(communityPath(communityId), { needApprovalOnPostCreation: true }))
  for (const verdict of ['approve', 'decline']) {
    const waiting = await createPost(bob, inCommunity(communityId))
    ok(await alice.post(postPath(waiting.postId, `/${verdict}`)))
  }
}

/** Everything that is told of comments, in a community and on a page. */
export async function comments(world: World): Promise<void> {
  const { alice, bob, admin } = world
  const { communityId } = await openCommunity(world, { userIds: ['bob'] })
  for (const target of [inCommunity(communityId), {}]) {
    const { postId } = await createPost(alice, target)
    const { commentId } = await createComment(bob, postId, mentions('alice'))
    await createComment(alice, postId, { parentId: commentId, ...mentions('bob') })
    await createComment(alice, postId, { parentId: commentId })
    await createComment(bob, postId)
    const one = `/api/v3/comments/${commentId}`
    ok(await bob.put(one, { data: { text: 'changed' } }))
    ok(await alice.post(`${one}/flag`))
    ok(await alice.delete(`${one}/unflag`))
    ok(await alice.post(`${one}/flag`))
    ok(await admin.delete(`${one}/flags`))
    const mine = await createComment(alice, postId)
    await reactTo(bob, 'comment', mine.commentId)
    ok(await bob.delete(one))
  }
}

/** Everything that is told of polls. */
export async function polls({ alice, bob }: World): Promise<void> {
  const answers = ['a', 'b'].map((data) => ({ dataType: 'text', data }))
  const [poll] = ok(await alice.post('/api/v3/polls', { question: 'Which?', answers })).polls
  await createPost(alice, { dataType: 'poll', data: { text: 'Vote', pollId: poll.pollId } })
  const one = `/api/v3/polls/${poll.pollId}`
  ok(await bob.post(`${one}/votes`, { answerIds: [poll.answers[0].id] }))
  ok(await alice.put(one, { status: 'closed' }))
  ok(await alice.delete(one))
}

/** Everything that is told of stories. */
export async function stories(world: World): Promise<void> {
  const { alice, bob } = world
  const { communityId } = await openCommunity(world, { userIds: ['bob'] })
  const { storyId } = await createStory(alice, communityId)
  await reactTo(bob, 'story', storyId)
  ok(await bob.post(storyPath(storyId, '/flags')))
  ok(await alice.delete(storyPath(storyId)))
}

/** Everything that is told of events, and of who comes. */
export async function events(world: World): Promise<void> {
  const { alice, bob } = world
  const { communityId } = await openCommunity(world, { userIds: ['bob'] })
  const { eventId } = await createEvent(alice, communityId)
  ok(await alice.put(eventPath(eventId), { title: 'Another name', startTime: inHours(25) }))
  ok(await bob.post(eventPath(eventId, '/rsvp'), { status: 'going' }))
  ok(await bob.put(eventPath(eventId, '/rsvp'), { status: 'not_going' }))
  ok(await alice.delete(eventPath(eventId)))
}
