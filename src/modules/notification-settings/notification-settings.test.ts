import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChannel, ok, refusal } from '../../../test/factories/chat.ts'
import { createCommunity, privacies } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { fill, notifiableNames } from './events.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob] = await Promise.all([server.as('alice'), server.as('bob')])
})
afterAll(() => server.close())

const path = '/api/v3/notification/setting'
const setting = async (client: TestClient, query: Record<string, unknown>) =>
  ok(await client.get(path, query))
const event = (body: { notifiableEvents: { name: string }[] }, name: string) =>
  body.notifiableEvents.find((one) => one.name === name)

it('has everything on for a person at first, and remembers what they say', async () => {
  const body = await setting(alice, { level: 'user' })
  expect([body.isPushNotifiable, body.isUserEnabled]).toEqual([true, true])
  expect(body.notifiableEvents.map((one: { moduleName: string }) => one.moduleName)).toEqual([
    'chat',
    'social',
    'video-streaming',
  ])
  const change = {
    level: 'user',
    isPushNotifiable: false,
    notifiableEvents: [
      { moduleName: 'chat', isPushNotifiable: false },
      { moduleName: 'social', listenFromRoleIds: ['community-moderator'] },
      { name: 'post.reacted', isPushNotifiable: false },
    ],
  }
  expect(ok(await alice.post(path, change))).toEqual({ status: 'success' })
  const changed = await setting(alice, { level: 'user' })
  expect([changed.isPushNotifiable, changed.isUserEnabled]).toEqual([false, false])
  expect(event(changed, 'chat')).toMatchObject({ isPushNotifiable: false })
  expect(event(changed, 'social')).toMatchObject({
    isPushNotifiable: true,
    listenFromRoleIds: ['community-moderator'],
    ignoreFromRoleIds: [],
  })
  expect(event(changed, 'post.reacted')).toMatchObject({ isPushNotifiable: false, moduleName: 'social' })
  ok(await alice.post(path, { level: 'user', isPushNotifiable: true }))
  const on = await setting(alice, { level: 'user' })
  expect([on.isPushNotifiable, event(on, 'chat')]).toEqual([true, event(changed, 'chat')])
  expect((await setting(bob, { level: 'user' })).notifiableEvents).toHaveLength(3)
})

it.each(['default', 'silent', 'subscribe'])('follows the mode %s of a channel', async (notificationMode) => {
  const { channelId, _id } = await createChannel(alice, { type: 'community', notificationMode })
  const place = { level: 'channel', channelId }
  const body = await setting(alice, place)
  expect(body.isPushNotifiable).toBe(notificationMode === 'default')
  expect(event(body, 'message.created')).toMatchObject({ isPushNotifiable: true, isNetworkEnabled: true })
  expect(event(body, 'post.created')).toBeUndefined()
  ok(await alice.post(path, { ...place, channelId: _id, isPushNotifiable: true }))
  expect((await setting(alice, place)).isPushNotifiable).toBe(true)
  expect(refusal(await bob.get(path, place))).toEqual([403, 400301])
  expect(refusal(await bob.post(path, place))).toEqual([403, 400301])
})

it('keeps the settings of a community for its members', async () => {
  const { communityId } = await createCommunity(alice, { notificationMode: 'subscribe' })
  const place = { level: 'community', communityId }
  const off = { name: 'post.created', isPushNotifiable: false }
  ok(await alice.post(path, { ...place, notifiableEvents: [off] }))
  const body = await setting(alice, place)
  expect(body.isPushNotifiable).toBe(false)
  expect(event(body, 'post.created')).toMatchObject(off)
  expect(event(body, 'comment.created')).toMatchObject({ isPushNotifiable: true })
  expect(refusal(await bob.get(path, place))).toEqual([403, 400301])
  const hidden = await createCommunity(alice, privacies.hidden)
  expect(refusal(await bob.get(path, { ...place, communityId: hidden.communityId }))).toEqual([404, 400400])
})

it('takes from admins what holds for everybody', async () => {
  const admin = await server.asAdmin()
  const said = { name: 'follow.created', isPushNotifiable: false, titleTemplate: 'New', bodyTemplate: '' }
  ok(await admin.post(path, { level: 'network', notifiableEvents: [said] }))
  const body = await setting(admin, { level: 'network' })
  expect(event(body, 'follow.created')).toMatchObject({ ...said, isNetworkEnabled: false })
  expect(body.notifiableEvents).toHaveLength(notifiableNames.length + 3)
  for (const answer of [
    await alice.get(path, { level: 'network' }),
    await alice.post(path, { level: 'network', isPushNotifiable: false }),
    await alice.post(path, {
      level: 'user',
      notifiableEvents: [{ name: 'follow.created', titleTemplate: '' }],
    }),
  ]) {
    expect(refusal(answer)).toEqual([403, 400301])
  }
})

it('keeps both of two changes at once', async () => {
  const carol = await server.as('carol')
  const names = ['post.reacted', 'comment.reacted', 'follow.created', 'follow.accepted', 'post.approved']
  await Promise.all(
    names.map((name) =>
      carol.post(path, { level: 'user', notifiableEvents: [{ name, isPushNotifiable: false }] }),
    ),
  )
  const body = await setting(carol, { level: 'user' })
  expect(names.map((name) => event(body, name))).toEqual(
    names.map(() => expect.objectContaining({ isPushNotifiable: false })),
  )
})

const ids = (n: number) => Array.from({ length: n }, (_, i) => `role-${i}`)
const one = (fields: object) => ({ notifiableEvents: [{ name: 'post.created', ...fields }] })
it.each<[object, number]>([
  [{ level: 'galaxy' }, 422],
  [{ level: 'channel' }, 422],
  [{ level: 'community' }, 422],
  [{ level: 'channel', channelId: 'none' }, 404],
  [{ level: 'community', communityId: 'none' }, 404],
  [{ notifiableEvents: [] }, 422],
  [{ notifiableEvents: Array.from({ length: 7 }, () => ({ name: 'post.created' })) }, 200],
  [{ notifiableEvents: Array.from({ length: 8 }, () => ({ name: 'post.created' })) }, 422],
  [{ notifiableEvents: [{ isPushNotifiable: true }] }, 422],
  [one({ name: 'post.exploded' }), 422],
  [one({ moduleName: 'none' }), 422],
  [one({ listenFromRoleIds: ids(10) }), 200],
  [one({ listenFromRoleIds: ids(11) }), 422],
  [one({ ignoreFromRoleIds: ids(10) }), 200],
  [one({ ignoreFromRoleIds: ['x'.repeat(901)] }), 422],
])('answers %j with %i', async (body, status) => {
  expect((await alice.post(path, { level: 'user', ...body })).status).toBe(status)
})

it.each([
  [{ titleTemplate: 't'.repeat(1000), bodyTemplate: 'b'.repeat(5000) }, 200],
  [{ titleTemplate: 't'.repeat(1001) }, 422],
  [{ bodyTemplate: 'b'.repeat(5001) }, 422],
])('limits templates', async (templates, status) => {
  const admin = await server.asAdmin()
  expect((await admin.post(path, { level: 'network', ...one(templates) })).status).toBe(status)
})

it('fills templates, and prints nothing for what it does not know', () => {
  const parameters = { actorName: 'Ann', text: '{{actorName}} $& <b>' }
  expect(fill('{{ actorName }}: {{text}}{{constructor}}', parameters)).toBe('Ann: {{actorName}} $& <b>')
})
