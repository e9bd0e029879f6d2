import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { converse, createChannel, ok, openChannel, refusal } from '../../../test/factories/chat.ts'
import { createCommunity, join, path as communityPath } from '../../../test/factories/communities.ts'
import { createEvent, path as eventPath, respond } from '../../../test/factories/events.ts'
import { createComment, createPost, inCommunity, readPost } from '../../../test/factories/posts.ts'
import { createStory, expire, path as storyPath } from '../../../test/factories/stories.ts'
import { moveClock, resetClock } from '../../../test/harness/clock.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { newId } from '../../platform/ids.ts'

let server: TestServer
let admin: TestClient
let other: TestClient

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.asAdmin()
  other = await server.as('other')
})
afterAll(() => server.close())
afterEach(() => resetClock())

/** Somebody with a post on their page, one in a community with a comment by them, and comments on others' posts. */
async function somebody() {
  const user = await server.as(`user-${newId()}`)
  const { communityId } = await createCommunity(admin)
  await join(user, communityId)
  await join(other, communityId)
  const onPage = await createPost(user)
  const inside = await createPost(user, inCommunity(communityId))
  const others = await createPost(other, inCommunity(communityId))
  const comment = await createComment(user, others.postId)
  const reply = await createComment(other, others.postId, { parentId: comment.commentId })
  const kept = await createComment(other, others.postId)
  const replied = await createComment(user, others.postId, { parentId: kept.commentId })
  return { user, communityId, onPage, inside, others, comment, reply, kept, replied }
}

const remove = (user: TestClient, query = '') => admin.delete(`/api/v4/users/${user.userId}${query}`)

async function commentIds(postId: string): Promise<string[]> {
  const { body } = await other.get('/api/v3/comments', { referenceId: postId, isDeleted: false })
  return body.comments.map((comment: { commentId: string }) => comment.commentId)
}

async function postsCount(communityId: string): Promise<number[]> {
  const { body } = await admin.get(communityPath(communityId))
  const feeds = body.feeds.filter((feed: { feedType: string }) => feed.feedType === 'published')
  return [body.communities[0].postsCount, feeds[0].postCount]
}

describe('deleting a user', () => {
  it('leaves what they wrote unless asked', async () => {
    const { user, onPage, others, comment } = await somebody()
    ok(await remove(user))
    expect(await readPost(admin, onPage.postId)).toMatchObject({ isDeleted: false })
    expect(await commentIds(others.postId)).toContain(comment.commentId)
  })

  it('with deleteAll deletes posts and comments softly, and counts them out', async () => {
    const { user, communityId, onPage, inside, others, comment, reply, kept, replied } = await somebody()
    ok(await remove(user, '?deleteAll=true'))
    for (const { postId } of [onPage, inside])
      expect(await readPost(admin, postId)).toMatchObject({ isDeleted: true, data: { text: 'A post' } })
    expect(await postsCount(communityId)).toEqual([1, 1])
    expect(await commentIds(others.postId)).toEqual([kept.commentId])
    expect((await readPost(other, others.postId)).commentsCount).toBe(1)
    const rows = await server.app.db
      .selectFrom('comments')
      .select(['commentId', 'isDeleted', 'childrenNumber'])
      .where('referenceId', '=', others.postId)
      .execute()
    const states = Object.fromEntries(rows.map((row) => [row.commentId, [row.isDeleted, row.childrenNumber]]))
    expect(states).toEqual({
      [comment.commentId]: [true, 0],
      [reply.commentId]: [true, 0],
      [kept.commentId]: [false, 0],
      [replied.commentId]: [true, 0],
    })
  })

  it('with hardDeletePost leaves nothing of their posts, and of their comments all', async () => {
    const { user, communityId, onPage, inside, others, comment } = await somebody()
    ok(await user.delete(`/api/v4/posts/${onPage.postId}`))
    ok(await remove(user, '?hardDeletePost=true'))
    for (const { postId } of [onPage, inside])
      expect(refusal(await admin.get(`/api/v3/posts/${postId}`))).toEqual([404, 400400])
    expect(await postsCount(communityId)).toEqual([1, 1])
    expect(await commentIds(others.postId)).toContain(comment.commentId)
    const rows = await server.app.db
      .selectFrom('posts')
      .select(['data', 'isErased'])
      .where('postedUserId', '=', user.id)
      .execute()
    expect(rows.every((row) => row.isErased && JSON.stringify(row.data) === '{}')).toBe(true)
  })

  it('with hardDeleteComment removes their comments with the answers, also below what is deleted', async () => {
    const { user, onPage, others, kept } = await somebody()
    const gone = await createPost(other)
    await createComment(user, gone.postId)
    ok(await other.delete(`/api/v4/posts/${gone.postId}`))
    ok(
      await user.post('/api/v3/comments', {
        referenceType: 'content',
        referenceId: 'article',
        data: { text: 'x' },
      }),
    )
    ok(await remove(user, '?hardDeleteComment=true'))
    expect(await commentIds(others.postId)).toEqual([kept.commentId])
    const left = await server.app.db
      .selectFrom('comments')
      .select('id')
      .where('userId', '=', user.id)
      .execute()
    expect(left).toEqual([])
    expect((await readPost(other, others.postId)).commentsCount).toBe(1)
    expect(await readPost(admin, onPage.postId)).toMatchObject({ isDeleted: false })
  })

  it('tells of every post and comment that goes', async () => {
    const { user, onPage, inside, comment } = await somebody()
    ok(await remove(user, '?deleteAll=true'))
    const events = await server.app.db
      .selectFrom('outboxEvents')
      .select(['name', 'subject', 'actorId'])
      .where('name', 'in', ['post.deleted', 'comment.deleted'])
      .execute()
    const told = events
      .filter(({ actorId }) => actorId === admin.id)
      .map(({ subject }) => (subject as { id: string }).id)
    const { id: commentId } = await server.app.db
      .selectFrom('comments')
      .select('id')
      .where('commentId', '=', comment.commentId)
      .executeTakeFirstOrThrow()
    expect(told).toEqual(expect.arrayContaining([onPage.postId, inside.postId, commentId]))
    expect(new Set(told).size).toBe(told.length)
  })

  it('goes on later with what the request had no time for', async () => {
    const { user, onPage } = await somebody()
    ok(await remove(user, '?deleteAll=true'))
    const row = await server.app.db
      .selectFrom('posts')
      .selectAll()
      .where('id', '=', onPage.postId)
      .executeTakeFirstOrThrow()
    const json = { data: '{}', metadata: '{}', links: '[]', productTags: '[]', reactions: '{}' }
    const left = Array.from({ length: 150 }, () => ({
      ...row,
      ...json,
      hashFlag: null,
      id: newId(),
      isDeleted: false,
      deletedAt: null,
    }))
    await server.app.db.insertInto('posts').values(left).execute()
    await server.app.db
      .updateTable('feeds')
      .set({ postCount: left.length })
      .where('id', '=', row.feedId)
      .execute()
    await moveClock(server, 11_000)
    const living = await server.app.db
      .selectFrom('posts')
      .select('id')
      .where('postedUserId', '=', user.id)
      .where('isDeleted', '=', false)
      .execute()
    expect(living).toEqual([])
    const feed = await server.app.db
      .selectFrom('feeds')
      .select('postCount')
      .where('id', '=', row.feedId)
      .executeTakeFirstOrThrow()
    expect(feed.postCount).toBe(0)
  })

  it.each([
    ['', { isDeleted: false }],
    ['?hardDeleteComment=true', { isDeleted: false }],
    ['?deleteAll=true', { isDeleted: true, isErased: false }],
    ['?hardDeletePost=true', { isDeleted: true, isErased: true }],
  ])('with %j leaves stories %j', async (query, left) => {
    const user = await server.as(`user-${newId()}`)
    const { communityId } = await createCommunity(user)
    await join(other, communityId)
    const shown = await createStory(user, communityId)
    await createComment(other, shown.storyId, { referenceType: 'story' })
    const over = await createStory(user, communityId)
    await expire(server, over.storyId)
    ok(await remove(user, query))
    const rows = await server.app.db
      .selectFrom('stories')
      .selectAll()
      .where('creatorId', '=', user.id)
      .execute()
    expect(rows).toMatchObject([left, left])
    expect((await other.get(storyPath(shown.storyId))).status).toBe(left.isDeleted ? 404 : 200)
  })

  it('with deleteAll deletes the events they host, with what is said about them', async () => {
    const user = await server.as(`user-${newId()}`)
    const { communityId } = await createCommunity(user)
    const events = [
      await createEvent(user, communityId),
      await createEvent(user, user.userId, { originType: 'user' }),
    ]
    ok(await remove(user, '?deleteAll=true'))
    for (const { eventId, discussionCommunityId } of events) {
      expect(refusal(await admin.get(eventPath(eventId)))).toEqual([404, 400400])
      const { body } = await admin.get(communityPath(discussionCommunityId))
      expect(body.communities?.[0]?.isDeleted ?? true).toBe(true)
    }
  })

  it('is for oneself too, with all that is asked', async () => {
    const { user, onPage } = await somebody()
    ok(await user.delete(`/api/v4/users/${user.userId}?hardDeletePost=true&hardDeleteComment=true`))
    expect(refusal(await admin.get(`/api/v3/posts/${onPage.postId}`))).toEqual([404, 400400])
  })
})

describe.each([
  ['deleted', (user: TestClient) => remove(user)],
  ['banned from the network', (user: TestClient) => admin.post('/api/v2/users/ban', { userId: user.userId })],
])('who is %s', (_name, go) => {
  it('is no member of communities and channels any more, and counts nowhere', async () => {
    const user = await server.as(`user-${newId()}`)
    const own = await createCommunity(user)
    const joined = await createCommunity(admin)
    const closed = await createCommunity(admin, {
      isPublic: false,
      isDiscoverable: true,
      requiresJoinApproval: true,
    })
    for (const { communityId } of [own, joined]) await join(other, communityId)
    await join(user, joined.communityId)
    ok(await user.post(communityPath(closed.communityId, '/join', 'v4')))
    const room = await openChannel(admin, {}, user, other)
    const conversation = await converse(user, ['other'])
    await createChannel(user, { type: 'community', displayName: 'Mine' })

    ok(await go(user))
    for (const { communityId } of [own, joined]) {
      const { body } = await admin.get(communityPath(communityId))
      const [community] = body.communities
      const living = communityId === own.communityId ? 1 : 2
      expect(community).toMatchObject({ membersCount: living })
      expect(community.moderatorMemberCount ?? 1).toBe(communityId === own.communityId ? 0 : 1)
      const { body: members } = await admin.get(communityPath(communityId, '/users'))
      expect(members.communityUsers.map((one: { userId: string }) => one.userId)).not.toContain(user.userId)
      const { body: channel } = await admin.get(`/api/v3/channels/${community.channelId}`)
      expect(channel.channels[0].memberCount).toBe(living)
    }
    const { body } = await other.get(`/api/v3/channels/${room.channelId}`)
    expect(body.channels[0].memberCount).toBe(2)
    const { body: talk } = await other.get(`/api/v3/channels/${conversation.channelId}`)
    expect(talk.channels[0].memberCount).toBe(2)
    const requests = await server.app.db
      .selectFrom('communityJoinRequests')
      .select('status')
      .where('userId', '=', user.id)
      .execute()
    expect(requests).toEqual([{ status: 'rejected' }])
  })

  it('hosts nothing on their page, goes to nothing that is to come, and is waited for nowhere', async () => {
    const user = await server.as(`user-${newId()}`)
    const { communityId } = await createCommunity(user)
    for (const one of [admin, other]) await join(one, communityId)
    const own = await createEvent(user, user.userId, { originType: 'user' })
    const managed = await createEvent(user, communityId)
    const coming = await createEvent(other, other.userId, { originType: 'user' })
    const past = await createEvent(other, other.userId, { originType: 'user' })
    for (const { eventId } of [coming, past]) for (const one of [user, admin]) ok(await respond(one, eventId))
    const begun = new Date(Date.now() - 60_000)
    await server.app.db
      .updateTable('events')
      .set({ startTime: begun })
      .where('id', '=', past.eventId)
      .execute()
    const type = { type: 'communityMemberInvite', targetType: 'community' }
    const places = [await createCommunity(admin), await createCommunity(admin)]
    for (const place of places)
      ok(
        await admin.post('/api/v1/invitations', {
          ...type,
          targetId: place.communityId,
          userIds: [user.userId],
        }),
      )
    ok(await admin.delete(communityPath(places[1]!.communityId)))

    ok(await go(user))
    const read = async (eventId: string) => ok(await other.get(eventPath(eventId))).events[0]
    expect(await read(own.eventId)).toMatchObject({ status: 'cancelled' })
    expect(await read(managed.eventId)).toMatchObject({ status: 'scheduled' })
    expect(await read(coming.eventId)).toMatchObject({ rsvpCount: 1 })
    expect(await read(past.eventId)).toMatchObject({ rsvpCount: 2 })
    const invitations = await server.app.db
      .selectFrom('invitations')
      .select('status')
      .where('userId', '=', user.id)
      .where('targetId', '=', places[0]!.communityId)
      .execute()
    expect(invitations).toEqual([{ status: 'cancelled' }])
    const memberships = await server.app.db
      .selectFrom('communityMembers')
      .select('isInvited')
      .where('userId', '=', user.id)
      .where('communityId', '=', places[0]!.communityId)
      .execute()
    expect(memberships).toEqual([{ isInvited: false }])
  })
})
