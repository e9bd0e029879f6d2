import { firstPage, getAll, ok, type Scenario } from './world.ts'

export const categories: Scenario = async ({ alice, admin }) => {
  const made = ok(
    await admin.post('/api/v3/community-categories', { name: 'Gardens', metadata: { icon: 'leaf' } }),
  )
  const id = (made.categories ?? made.data.categories)[0].categoryId
  ok(await admin.put(`/api/v3/community-categories/${id}`, { name: 'Gardening' }))
  await getAll(alice, [
    ['/api/v3/community-categories', { ...firstPage, sortBy: 'name', isDeleted: false }],
    ['/api/v3/community-categories/list', { categoryIds: [id] }],
    `/api/v3/community-categories/${id}`,
  ])
  ok(await admin.delete(`/api/v3/community-categories/${id}`))
}

export const communities: Scenario = async ({ alice, bob, carol, admin, newcomer }) => {
  const { categories } = ok(await admin.post('/api/v3/community-categories', { name: 'Animals' }))
  const made = ok(
    await alice.post('/api/v3/communities', {
      displayName: 'Bee keepers',
      description: 'Everything about bees',
      isPublic: true,
      categoryIds: [categories[0].categoryId],
      userIds: ['bob'],
      tags: ['bees'],
      metadata: { rules: 'be kind' },
      needApprovalOnPostCreation: false,
      onlyAdminCanPost: false,
      allowCommentInStory: true,
    }),
  )
  const id = made.communities[0].communityId
  const at = `/api/v3/communities/${id}`
  ok(await alice.put(at, { description: 'All about bees', tags: ['bees', 'honey'] }))
  ok(await carol.post(`${at}/join`))
  await getAll(carol, [
    at,
    [
      '/api/v3/communities',
      { ...firstPage, keyword: 'bee', filter: 'all', sortBy: 'lastCreated', tags: ['bees'] },
    ],
    ['/api/v3/communities/list', { communityIds: [id], type: 'public' }],
    ['/api/v3/communities/recommended', firstPage],
    ['/api/v1/semantic-search/communities', { ...firstPage, query: 'bees', filter: 'all' }],
    ['/api/v3/communities/top-trending', { ...firstPage, includeDiscoverablePrivateCommunity: true }],
    `${at}/permissions/me`,
    [`${at}/users`, { ...firstPage, memberships: ['member'], search: 'b', sortBy: 'lastCreated' }],
  ])
  await newcomer('frank')
  ok(await alice.post(`${at}/users`, { userIds: ['frank'] }))
  ok(await alice.put(`${at}/users/ban`, { userIds: ['frank'] }))
  ok(await alice.put(`${at}/users/unban`, { userIds: ['frank'] }))
  ok(await alice.post(`${at}/users`, { userIds: ['frank'] }))
  ok(await alice.delete(`${at}/users`, { userIds: ['frank'] }))
  const v4 = `/api/v4/communities/${id}/users/roles`
  ok(await alice.post(`${at}/users/roles`, { userIds: ['bob'], role: 'community-moderator' }))
  ok(await alice.delete(`${at}/users/roles`, { userIds: ['bob'], role: 'community-moderator' }))
  ok(await alice.post(v4, { userIds: ['bob'], roles: ['community-moderator'] }))
  ok(await alice.delete(v4, { userIds: ['bob'], roles: ['community-moderator'] }))
  ok(await bob.delete(`${at}/leave`))
  const other = ok(await alice.post('/api/v3/communities', { displayName: 'Not needed' })).communities[0]
  ok(await alice.delete(`/api/v3/communities/${other.communityId}`))
}

export const joinRequests: Scenario = async ({ alice, bob, carol }) => {
  const { communities } = ok(
    await alice.post('/api/v3/communities', {
      displayName: 'Closed hive',
      isPublic: false,
      isDiscoverable: true,
      requiresJoinApproval: true,
    }),
  )
  const at = `/api/v4/communities/${communities[0].communityId}/join`
  ok(await bob.post(at))
  await getAll(bob, [
    `${at}/me`,
    ['/api/v4/communities/join/requests', { ...firstPage, communityIds: [communities[0].communityId] }],
  ])
  await getAll(alice, [[at, { ...firstPage, status: 'pending' }]])
  ok(await bob.delete(at))
  ok(await bob.post(at))
  ok(await carol.post(at))
  ok(await alice.post(`${at}/approve`, { userId: 'bob' }))
  ok(await alice.post(`${at}/reject`, { userId: 'carol' }))
}

export const invitations: Scenario = async ({ alice, bob, carol, admin }) => {
  ok(await admin.put('/api/v3/network-settings/social', { membershipAcceptance: 'invitation' }))
  const { communities } = ok(await alice.post('/api/v3/communities', { displayName: 'By invitation' }))
  const target = { targetType: 'community', targetId: communities[0].communityId }
  const invite = (userIds: string[]) =>
    alice.post('/api/v1/invitations', { type: 'communityMemberInvite', ...target, userIds })
  ok(await invite(['bob', 'carol']))
  await getAll(alice, [['/api/v1/invitations', { ...firstPage, ...target, type: 'communityMemberInvite' }]])
  const own = { ...firstPage, type: 'communityMemberInvite', ...target }
  const idOf = async (who: typeof bob) =>
    ok(await who.get('/api/v1/invitations/me', own)).invitations[0].invitationId as string
  ok(await bob.post(`/api/v1/invitations/${await idOf(bob)}/accept`))
  ok(await carol.post(`/api/v1/invitations/${await idOf(carol)}/reject`))
  ok(await invite(['carol']))
  const id = ok(await carol.get('/api/v1/invitations/me', { ...own, statuses: ['pending'] })).invitations[0]
  ok(await alice.delete(`/api/v1/invitations/${id.invitationId}`))
  ok(await admin.put('/api/v3/network-settings/social', { membershipAcceptance: 'automatic' }))
}
