import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { channelPath, converse, createChannel, ok, openChannel, say } from '../../../test/factories/chat.ts'
import { block, unblock } from '../../../test/factories/follows.ts'
import { createClient, type TestClient } from '../../../test/harness/client.ts'
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
  for (const client of [ann, bob]) await world.phone(client)
  await world.phone(cat, 'android')
})
afterAll(() => world.close())

const bodies = async () =>
  (await world.shown()).map(({ token, body }) => [token.replace('phone-of-', ''), body])
const setting = async (client: TestClient, body: object) =>
  ok(await client.post('/api/v3/notification/setting', body))

it('pushes a message to the phones of the other members, with all they have not read', async () => {
  const { id, channelId } = await openChannel(ann, { displayName: 'Pond' }, bob, cat)
  const message = await say(ann, channelId, 'One  line\nand another')
  const data = {
    eventName: 'message.created',
    actorId: 'ann',
    channelId,
    subChannelId: id,
    messageId: message.messageId,
  }
  const same = {
    title: 'Pond',
    body: 'ann: One line and another',
    badge: 1,
    collapseKey: `channel:${id}`,
    data,
  }
  expect(await world.shown()).toEqual([
    { ...same, token: 'phone-of-bob' },
    { ...same, token: 'phone-of-cat' },
  ])
  const other = await openChannel(ann, {}, bob)
  for (let i = 0; i < 2; i++) await say(ann, other.channelId, `${i}`)
  await world.shown()
  await say(ann, channelId, 'x'.repeat(300))
  const [toBob, toCat] = await world.shown()
  expect([toBob?.badge, toCat?.badge]).toEqual([4, 2])
  expect(toBob!.body).toBe(`${`ann: ${'x'.repeat(300)}`.slice(0, 199)}…`)
})

it('names conversations after who writes, and says what came without words', async () => {
  const { channelId } = await converse(ann, ['bob'])
  await say(ann, channelId, 'Hi')
  await say(bob, channelId, 'Hello')
  expect((await world.shown()).map(({ token, title, body }) => [token, title, body])).toEqual([
    ['phone-of-ann', 'bob', 'Hello'],
    ['phone-of-bob', 'ann', 'Hi'],
  ])
})

it('tells whom a message mentions of that, and nobody twice', async () => {
  const { channelId } = await openChannel(ann, {}, bob, cat)
  await say(ann, channelId, 'hey', { mentionees: [{ type: 'user', userIds: ['bob'] }] })
  expect(await bodies()).toEqual([
    ['bob', 'ann mentioned you: hey'],
    ['cat', 'ann: hey'],
  ])
  await say(ann, channelId, 'all', { mentionees: [{ type: 'channel' }] })
  expect(await bodies()).toEqual([
    ['bob', 'ann mentioned you: all'],
    ['cat', 'ann mentioned you: all'],
  ])
})

it('is silent for who left, archived, blocked, signed out, and in live chats', async () => {
  const dan = await world.server.as('dan')
  await world.phone(dan)
  const { channelId } = await openChannel(ann, {}, bob, cat, dan)
  ok(await cat.delete(channelPath(channelId, '/leave')))
  ok(await block(bob, 'ann'))
  ok(await dan.delete('/api/v4/sessions'))
  await say(ann, channelId, 'Anybody?')
  expect(await world.shown()).toEqual([])
  ok(await unblock(bob, 'ann'))
  await say(ann, channelId, 'Back')
  expect(await bodies()).toEqual([['bob', 'ann: Back']])
  const live = await createChannel(ann, { type: 'live', displayName: 'Live' })
  ok(await bob.post(channelPath(live.channelId, '/join')))
  await say(ann, live.channelId, 'Watch')
  expect(await world.shown()).toEqual([])
})

it('goes on after the same person signed in again, and ends when somebody else does', async () => {
  const { url, apiKey } = world.server
  const fay = await world.server.as('fay')
  const token = await world.phone(fay)
  const { channelId } = await openChannel(ann, {}, fay)
  const said = async () => {
    await say(ann, channelId, 'Hear')
    return (await world.shown()).map((push) => push.token)
  }
  await createClient(url, apiKey, 'fay')
  expect(await said()).toEqual([token])
  const signIn = await fetch(`${url}/api/v5/sessions`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'guest', deviceId: 'device-of-fay' }),
  })
  expect(signIn.status).toBe(200)
  expect(await said()).toEqual([])
})

const off = { isPushNotifiable: false }
const event = (name: string, fields: object = off) => ({ notifiableEvents: [{ name, ...fields }] })
it.each<[string, object, boolean]>([
  ['everything off', { level: 'user', ...off }, false],
  ['chat off', { level: 'user', notifiableEvents: [{ moduleName: 'chat', ...off }] }, false],
  ['social off', { level: 'user', notifiableEvents: [{ moduleName: 'social', ...off }] }, true],
  ['messages off', { level: 'user', ...event('message.created') }, false],
  ['other messages off', { level: 'user', ...event('conversation-message.created') }, true],
  ['the channel off', { level: 'channel', ...off }, false],
  ['messages of the channel off', { level: 'channel', ...event('message.created') }, false],
  [
    'only a role heard',
    { level: 'channel', ...event('message.created', { listenFromRoleIds: ['singer'] }) },
    false,
  ],
  [
    'the own role heard',
    { level: 'channel', ...event('message.created', { listenFromRoleIds: ['channel-moderator'] }) },
    true,
  ],
  [
    'the role ignored',
    {
      level: 'user',
      notifiableEvents: [{ moduleName: 'chat', ignoreFromRoleIds: ['x', 'channel-moderator'] }],
    },
    false,
  ],
])('follows what a person said: %s', async (_name, said, isTold) => {
  const eve = await world.server.as(`eve-${_name.replaceAll(' ', '-')}`)
  const token = await world.phone(eve)
  const { channelId } = await openChannel(ann, {}, eve)
  await setting(eve, { channelId, ...said })
  await say(ann, channelId, 'Hear')
  expect((await world.shown()).map((push) => push.token)).toEqual(isTold ? [token] : [])
})

it.each<[string, boolean, boolean]>([
  ['default', true, true],
  ['silent', false, false],
  ['subscribe', false, true],
])('follows the mode %s of a channel', async (notificationMode, isToldAtFirst, isToldWhenSaid) => {
  const { channelId } = await openChannel(ann, { notificationMode }, bob)
  await say(ann, channelId, 'First')
  expect((await world.shown()).length > 0).toBe(isToldAtFirst)
  await setting(bob, { level: 'channel', channelId, isPushNotifiable: true })
  await say(ann, channelId, 'Then')
  expect((await world.shown()).length > 0).toBe(isToldWhenSaid)
})

it('uses the texts of the admins, and is silent where they switched it off', async () => {
  const admin = await world.server.asAdmin()
  const { channelId } = await openChannel(ann, { displayName: 'Pond' }, bob)
  const texts = { titleTemplate: 'New in {{channelName}}', bodyTemplate: 'by {{ actorName }}{{nothing}}' }
  await setting(admin, { level: 'network', ...event('message.created', texts) })
  await say(ann, channelId, 'Hi')
  expect(await world.shown()).toMatchObject([{ title: 'New in Pond', body: 'by ann' }])
  await setting(admin, { level: 'network', notifiableEvents: [{ moduleName: 'chat', ...off }] })
  await say(ann, channelId, 'Hi')
  expect(await world.shown()).toEqual([])
  const on = { isPushNotifiable: true }
  await setting(admin, { level: 'network', notifiableEvents: [{ moduleName: 'chat', ...on }] })
})
