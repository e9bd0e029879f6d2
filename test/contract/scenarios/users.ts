import { firstPage, getAll, ok, type Scenario } from './world.ts'

export const users: Scenario = async ({ alice, bob, admin, newcomer }) => {
  ok(
    await alice.put('/api/v3/users', {
      userId: 'alice',
      displayName: 'Alice Ängström',
      description: 'Keeps bees',
      metadata: { city: 'Graz' },
      createNewUserWhenNotFound: false,
    }),
  )
  await getAll(bob, [
    ['/api/v3/users', { ...firstPage, keyword: 'ali', sortBy: 'displayName', filter: 'all' }],
    ['/api/v3/users/list', { userIds: ['alice', 'bob'] }],
    '/api/v3/users/alice',
    [`/api/v3/users/${alice.id}`, { type: 'internal' }],
  ])
  ok(await bob.post('/api/v4/me/flags/alice'))
  await getAll(bob, ['/api/v3/users/alice/isFlagByMe'])
  ok(await bob.delete('/api/v4/me/flags/alice'))
  ok(await bob.post('/api/v4/me/flags/alice'))
  ok(await admin.delete('/api/v2/users/alice/flags'))
  await newcomer('troll')
  ok(await admin.post('/api/v2/users/ban', { userId: 'troll' }))
  ok(await admin.post('/api/v2/users/unban', { userId: 'troll' }))
  ok(await admin.delete('/api/v4/users/troll?markMessageDeleted=true&hardDeletePost=true'))
}

export const follows: Scenario = async ({ alice, bob, carol, admin }) => {
  ok(await admin.put('/api/v3/network-settings/social', { isFollowWithRequestEnabled: true }))
  ok(await bob.post('/api/v4/me/following/alice'))
  ok(await carol.post('/api/v4/me/following/alice'))
  ok(await alice.post('/api/v4/me/followers/bob'))
  ok(await alice.delete('/api/v4/me/followers/carol'))
  await getAll(bob, [
    ['/api/v4/me/following', { ...firstPage, status: 'accepted' }],
    ['/api/v4/users/alice/followers', { ...firstPage, status: 'accepted' }],
  ])
  await getAll(alice, [
    '/api/v4/me/followInfo',
    ['/api/v4/me/followers', { ...firstPage, status: 'all' }],
    '/api/v4/users/bob/followInfo',
    '/api/v5/users/bob/followInfo',
    ['/api/v4/users/bob/following', { ...firstPage, status: 'accepted' }],
  ])
  ok(await bob.delete('/api/v4/me/following/alice'))
  ok(await admin.put('/api/v3/network-settings/social', { isFollowWithRequestEnabled: false }))
  ok(await alice.post('/api/v4/me/user-blocks/carol'))
  await getAll(alice, [['/api/v4/me/user-blocks', firstPage]])
  ok(await alice.delete('/api/v4/me/user-blocks/carol'))
}

const device = {
  deviceId: 'phone-1',
  deviceInfo: { kind: 'web', model: 'Firefox', sdkVersion: '7.20.0' },
}

export const sessions: Scenario = async ({ withApiKey, withServerKey, alice, admin, newcomer }) => {
  const dave = { userId: 'dave', displayName: 'Dave', ...device }
  ok(await withApiKey.post('/api/v5/sessions', dave))
  ok(await withApiKey.post('/api/v4/sessions', dave))
  ok(await withApiKey.post('/api/v3/sessions', dave))
  ok(await withApiKey.post('/api/v5/sessions/visitor', device))
  ok(await withApiKey.post('/api/v5/sessions/bot', device))
  ok(await withServerKey.get('/api/v3/authentication/token', { userId: 'dave' }))
  ok(await withServerKey.post('/api/v4/authentication/token', { userId: 'dave' }))
  await getAll(alice, ['/api/v3/sessions'])
  ok(await admin.delete('/api/v4/sessions/users/dave'))
  ok(await (await newcomer('eve')).delete('/api/v4/sessions'))
}
