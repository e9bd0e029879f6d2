import { eventually } from '../../harness/eventually.ts'
import { firstPage, getAll, ok, type Scenario } from './world.ts'

export const moderation: Scenario = async ({ alice, admin }) => {
  const ruleOf = async (path: string): Promise<string> => ok(await admin.get(path)).data.results[0].ruleId
  const record = { regexs: ['sting.*'], isMatchExactWord: true }
  for (const lists of ['/api/v2/blacklist', '/api/v2/whitelist']) {
    const at = `${lists}/records`
    ok(await admin.post(at, record))
    const { results } = ok(await admin.get(at)).data
    ok(await admin.put(at, record))
    ok(await admin.put(`${at}/${results[0].ruleId}`, { isEnabled: false }))
    ok(await admin.delete(`${at}?ruleIds[]=${results[0].ruleId}`))
  }
  ok(await admin.post('/v1/blacklist/records', record))
  ok(await admin.put('/v1/blacklist/records', record))
  ok(await admin.delete(`/v1/blacklist/records?ruleIds[]=${await ruleOf('/api/v2/blacklist/records')}`))
  ok(await admin.post('/api/v3/blocklists', record))
  ok(await admin.post('/api/v3/allowlists', { regexs: ['https://example\\.com.*'] }))
  await getAll(admin, [
    ['/api/v3/blocklists', { ...firstPage, sortBy: 'lastCreated' }],
    ['/api/v3/allowlists', { ...firstPage, sortBy: 'lastCreated' }],
    '/api/v2/moderation-settings',
  ])
  ok(await alice.post('/api/v3/blocklists/verify', { data: ['honey'] }))
  ok(await alice.post('/api/v3/allowlists/verify', { data: ['https://example.com/x'] }))
  ok(await admin.put('/api/v2/moderation-settings', { maxRepetition: 10 }))
  ok(await admin.delete(`/api/v2/blacklist/records?ruleIds[]=${await ruleOf('/api/v2/blacklist/records')}`))
  ok(await admin.delete(`/api/v2/whitelist/records?ruleIds[]=${await ruleOf('/api/v2/whitelist/records')}`))
}

export const roles: Scenario = async ({ admin }) => {
  const role = { roleId: 'keeper', displayName: 'Keeper', permissions: ['EDIT_USER'] }
  ok(await admin.post('/api/v3/roles', role))
  ok(await admin.put('/api/v3/roles/keeper', { ...role, permissions: ['EDIT_USER', 'BAN_USER'] }))
  await getAll(admin, [
    ['/api/v3/roles', { ...firstPage, keyword: 'keep', sortBy: 'displayName' }],
    '/api/v3/roles/keeper',
    '/api/v2/roles',
  ])
  ok(await admin.put('/api/v2/roles', { publicIds: ['keeper'], permissions: ['EDIT_USER'] }))
  ok(await admin.delete('/api/v3/roles/keeper'))
}

const sections = [
  'chat',
  'feed-setting',
  'moderation',
  'prehook',
  'semantic-search',
  'social',
  'users',
  'video-streaming',
  'webhook',
]

const extra: Record<string, object> = {
  'video-streaming': {
    moderation: { categories: [{ category: 'violence', flagThreshold: 0.5, terminateThreshold: 0.9 }] },
  },
}

export const networkSettings: Scenario = async ({ alice, admin }) => {
  for (const section of sections) {
    const at = `/api/v3/network-settings/${section}`
    const settings = ok(await admin.get(at))
    ok(await admin.put(at, { ...settings, ...extra[section] }))
  }
  await getAll(
    alice,
    ['product', 'shareable-deep-links'].map((section) => `/api/v3/network-settings/${section}`),
  )
  ok(await admin.put('/api/v3/network-settings', { chatEnabled: true }))
}

export const ads: Scenario = ({ alice }) => getAll(alice, ['/api/v1/ads/me', '/api/v1/products/search'])

// Not looked at: its port is none that pages are read from.
export const linkPreview: Scenario = ({ alice }) =>
  getAll(alice, [['/api/v1/link-preview', { url: 'https://www.example.com:1/bees' }]])

export const notificationTray: Scenario = async ({ alice, bob }) => {
  const tray = '/api/v1/notification-tray'
  const { postId } = ok(await alice.post('/api/v4/posts', { data: { text: 'Notice me' } })).posts[0]
  const on = { referenceType: 'post', referenceId: postId, reactionName: 'like' }
  ok(await bob.post('/api/v2/reactions', on))
  const item = await eventually(async () => ok(await alice.get(tray, firstPage)).notificationTrayItems[0])
  ok(
    await alice.post(`${tray}/items/seen`, {
      trayItems: [{ id: item._id, lastSeenAt: item.lastOccurredAt }],
    }),
  )
  await getAll(alice, [`${tray}/tray/seen`])
  ok(await alice.post(`${tray}/tray/seen`, { lastSeenAt: new Date().toISOString() }))
}

export const notifications: Scenario = async ({ alice }) => {
  const device = { deviceId: 'phone-1', userId: 'alice' }
  ok(await alice.post('/v1/notification', { ...device, platform: 'android', token: 'a-token' }))
  ok(await alice.delete('/v1/notification', device))
  const at = '/api/v3/notification/setting'
  const { channelId } = ok(await alice.post('/api/v3/channels', { type: 'community', displayName: 'Quiet' }))
    .channels[0]
  const { communityId } = ok(await alice.post('/api/v3/communities', { displayName: 'Quiet' })).communities[0]
  const place = { level: 'user', channelId, communityId }
  const notifiableEvents = [
    {
      name: 'post.created',
      moduleName: 'social',
      isPushNotifiable: true,
      listenFromRoleIds: ['community-moderator'],
    },
  ]
  ok(await alice.post(at, { ...place, isPushNotifiable: true, notifiableEvents }))
  await getAll(alice, [[at, place]])
}
