import { getAll, ok, uploadPicture, type Scenario } from './world.ts'

export const stories: Scenario = async ({ alice, bob, admin }) => {
  const made = ok(await alice.post('/api/v3/communities', { displayName: 'Stories', userIds: ['bob'] }))
  const target = { targetType: 'community', targetId: made.communities[0].communityId }
  const fileId = await uploadPicture(alice)
  let told = 0
  const tell = async () =>
    ok(
      await alice.post('/api/v4/stories', {
        ...target,
        referenceId: `00000000-0000-4000-8000-00000000000${told++}`,
        dataType: 'image',
        data: { text: 'Look', fileId, imageDisplayMode: 'fill' },
        items: [{ type: 'hyperlink', data: { url: 'https://example.com', customText: 'More' } }],
        metadata: { a: 1 },
      }),
    ).stories[0].storyId as string
  const storyId = await tell()
  const at = `/api/v4/stories/${storyId}`
  const views = [
    { contentId: storyId, contentType: 'story', activityType: 'view', timestamp: new Date().toISOString() },
  ]
  ok(await bob.post('/api/v1/analytics/activities', { activities: views }))
  await getAll(bob, [
    at,
    ['/api/v4/stories', { ...target, options: { sortBy: 'createdAt', orderBy: 'desc' } }],
    ['/api/v4/stories-by-targets', { targets: [target] }],
    ['/api/v4/stories/count', target],
    ['/api/v4/stories/seen', { targets: [target] }],
    ['/api/v5/me/global-story-targets', { limit: 10, seenState: 'all' }],
  ])
  await getAll(alice, [[`/api/v1/analytics/views/stories/${storyId}/users`, { limit: 10 }]])
  ok(await bob.post(`${at}/flags`, { reason: 'Spam' }))
  ok(await bob.delete(`${at}/flags`))
  ok(await bob.post(`${at}/flags`))
  ok(await admin.delete(`${at}/flags/all`))
  ok(await alice.delete(`/api/v4/stories/${await tell()}?permanent=true`))
}
