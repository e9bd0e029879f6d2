import type { TestClient } from '../../harness/client.ts'
import { firstPage, getAll, ok, uploadPicture, type Scenario } from './world.ts'

const write = async (client: TestClient, fields: Record<string, unknown> = {}, version = 'v4') =>
  ok(await client.post(`/api/${version}/posts`, { data: { text: 'Spring #bees' }, ...fields })).posts[0]

const createCommunity = async (client: TestClient, fields: Record<string, unknown> = {}): Promise<string> =>
  ok(await client.post('/api/v3/communities', { displayName: 'Posts', ...fields })).communities[0].communityId

export const posts: Scenario = async ({ alice, bob, admin }) => {
  const communityId = await createCommunity(alice, { userIds: ['bob'] })
  const community = { targetType: 'community', targetId: communityId }
  const attachments = [{ type: 'image', fileId: await uploadPicture(alice) }]
  const own = await write(alice, {
    attachments,
    ...community,
    tags: ['spring'],
    hashtags: ['bees'],
    metadata: { mood: 'good' },
    mentionees: [{ type: 'user', userIds: ['bob'] }],
    links: [{ url: 'https://example.com/bees', index: 0, length: 6, renderPreview: false }],
  })
  const shared = await write(bob, community)
  const older = await write(alice, community, 'v3')
  const at = `/api/v3/posts/${own.postId}`
  ok(await alice.put(at, { data: { text: 'Late spring' } }))
  ok(
    await alice.put(`/api/v4/posts/${own.postId}`, {
      data: { text: 'Early spring #bees' },
      tags: ['early'],
      mentionees: [{ type: 'user', userIds: ['bob'] }],
      attachments,
    }),
  )
  const user = { targetType: 'user', targetId: 'alice' }
  await write(alice)
  await getAll(bob, [
    at,
    ['/api/v3/posts/list', { postIds: [own.postId, shared.postId] }],
    ['/api/v3/posts', { ...firstPage, ...community, sortBy: 'lastCreated' }],
    ['/api/v4/posts', { ...firstPage, ...community, feedType: 'published', matchingOnlyParentPost: true }],
    ['/api/v5/posts', { ...firstPage, ...community, includeMixedStructure: true }],
    ['/api/v4/posts', { ...firstPage, ...user }],
    ['/api/v1/search/posts', { ...firstPage, hashtags: ['bees'], matchingOnlyParentPost: true }],
  ])
  const words = { ...firstPage, query: 'early bees' }
  await getAll(bob, [
    ['/api/v1/semantic-search/posts', { ...words, ...community, matchingOnlyParentPost: true }],
  ])
  ok(await bob.post(`${at}/flag`, { reason: 'Community Guidelines' }))
  await getAll(bob, [`${at}/isflagbyme`])
  ok(await bob.delete(`${at}/unflag`))
  ok(await bob.post(`${at}/flag`))
  ok(await admin.delete(`${at}/flags`))
  const views = [
    { contentId: own.postId, contentType: 'post', activityType: 'view', timestamp: new Date().toISOString() },
  ]
  ok(await bob.post('/api/v1/analytics/activities', { activities: views }))
  await getAll(alice, [[`/api/v1/analytics/views/posts/${own.postId}/users`, { limit: 10 }]])
  ok(await alice.delete(`/api/v3/posts/${older.postId}`))
  ok(await bob.delete(`/api/v4/posts/${shared.postId}?permanent=true`))
}

export const feeds: Scenario = async ({ alice, bob }) => {
  const communityId = await createCommunity(alice, { userIds: ['bob'] })
  ok(await bob.post('/api/v4/me/following/alice'))
  await write(alice)
  await write(alice, { targetType: 'community', targetId: communityId })
  await getAll(bob, [
    ['/api/v4/me/global-feeds', { ...firstPage, dataTypes: ['image', 'video'], resolveParent: true }],
    ['/api/v4/me/global-feeds', firstPage],
    ['/api/v5/me/global-feeds', firstPage],
    ['/api/v3/global-feeds', firstPage],
    ['/api/v1/me/following-feeds', firstPage],
    ['/api/v3/user-feeds/alice', { ...firstPage, sortBy: 'lastCreated' }],
    ['/api/v4/user-feeds/alice', firstPage],
    '/api/v3/user-feeds/alice/count',
    [`/api/v3/community-feeds/${communityId}`, { ...firstPage, sortBy: 'lastCreated' }],
    ['/api/v3/content-feeds', firstPage],
  ])
}

export const review: Scenario = async ({ alice, bob }) => {
  const targetId = await createCommunity(alice, { userIds: ['bob'], needApprovalOnPostCreation: true })
  const good = await write(bob, { targetType: 'community', targetId })
  const bad = await write(bob, { targetType: 'community', targetId })
  ok(await alice.post(`/api/v3/posts/${good.postId}/approve`))
  ok(await alice.post(`/api/v3/posts/${bad.postId}/decline`))
}

export const pins: Scenario = async ({ alice, bob, admin }) => {
  const communityId = await createCommunity(alice)
  const { postId } = await write(alice, { targetType: 'community', targetId: communityId })
  const at = `/api/v1/pinned-posts/communities/${communityId}`
  const pin = (placement: string) => alice.post(`${at}/${placement}/${postId}`)
  ok(await pin('announcement'))
  await getAll(bob, [at, `${at}/announcement`])
  ok(await alice.delete(`${at}/announcement/${postId}`))
  ok(await pin('announcement'))
  ok(await alice.delete(`${at}/announcement`))
  ok(await pin('default'))
  ok(await alice.delete(at))
  const everywhere = '/api/v1/pinned-posts/global'
  ok(await admin.post(`${everywhere}/${postId}`))
  await getAll(bob, [everywhere])
  ok(await admin.delete(`${everywhere}/${postId}`))
  ok(await admin.post(`${everywhere}/${postId}`))
  ok(await admin.delete(everywhere))
}

export const polls: Scenario = async ({ alice, bob }) => {
  const create = async () =>
    ok(
      await alice.post('/api/v3/polls', {
        question: 'Which honey?',
        answers: [
          { dataType: 'text', data: 'Linden' },
          { dataType: 'text', data: 'Acacia' },
        ],
        answerType: 'single',
        closedIn: 3_600_000,
      }),
    ).polls[0]
  const { pollId, answers } = await create()
  await write(alice, { dataType: 'poll', data: { text: 'Vote', pollId } })
  const at = `/api/v3/polls/${pollId}`
  ok(await bob.post(`${at}/votes`, { answerIds: [answers[0].id] }))
  await getAll(bob, [at, [`${at}/answers/${answers[0].id}`, firstPage]])
  ok(await bob.put(`${at}/votes`, { answerIds: [answers[1].id] }))
  ok(await alice.put(at, { status: 'closed' }))
  ok(await alice.delete(`/api/v3/polls/${(await create()).pollId}`))
}

export const scheduled: Scenario = async ({ alice }) => {
  const at = '/api/v1/posts/schedule'
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const postData = {
    targetType: 'community',
    targetId: await createCommunity(alice),
    data: { text: 'Summer' },
    attachments: [{ type: 'image', fileId: await uploadPicture(alice) }],
  }
  const { data } = ok(await alice.post(at, { scheduledAt: inHours(2), postData }))
  const one = `${at}/${data[0]._id}`
  ok(await alice.put(one, { scheduledAt: inHours(3), postData: { data: { text: 'Autumn' } } }))
  await getAll(alice, [[at, firstPage], one])
  ok(await alice.delete(one))
}
