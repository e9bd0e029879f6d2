import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAnswer } from '../contract/check-answer.ts'
import { verifyWebhook, type ReceivedWebhook } from '../harness/webhook-receiver.ts'
import { channels, messages } from './chat.ts'
import { allowModeration, rooms, streams } from './live.ts'
import { departures, people } from './people.ts'
import { comments, communities, events, polls, posts, stories } from './social.ts'
import { openWorld, type World } from './world.ts'

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

/** Every webhook event of the interface, with the keys of its data. */
const webhooks = read('../fixtures/webhook-events.json') as Record<string, string[]>
/** Every realtime event that clients know or the interface names, with what the keys of its data hold. */
const realtime = read('../contract/realtime.json') as Record<string, Record<string, string>>
/** Two of them are other spellings, which event streams know (docs/decisions/event-envelope.md). */
const spellings: Record<string, string> = {
  'message.addReaction': 'message.reactionAdded',
  'marker.marker.user-sync': 'marker.user-sync',
}

let world: World
beforeAll(async () => {
  world = await openWorld()
  await allowModeration(world)
  const walk = [
    people,
    channels,
    messages,
    communities,
    posts,
    comments,
    polls,
    stories,
    events,
    streams,
    rooms,
  ]
  for (const part of [...walk, departures]) await part(world)
  await world.quiet()
}, 120_000)
afterAll(() => world?.close())

describe('every realtime event', () => {
  it.each(Object.entries(realtime))('%s is heard, with what the clients read', async (name, keys) => {
    const news = world.heard().filter(({ eventType }) => eventType === (spellings[name] ?? name))
    expect(news.length, `${name} was never heard`).toBeGreaterThan(0)
    for (const { data, position, ...envelope } of news) {
      expect(envelope).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        networkId: 'hubbub',
        path: expect.stringMatching(/^hubbub/),
        eventType: spellings[name] ?? name,
        // The network's id where nobody acted.
        senderId: expect.stringMatching(/^([0-9a-f]{24}|hubbub)$/),
        sendTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        version: '1',
      })
      expect(position ?? '1').toMatch(/^\d+$/)
      expect(checkAnswer({ id: name, area: 'platform', keys }, data)).toEqual([])
      const [first] = Object.keys(keys)
      if (Array.isArray(data[first!])) expect(data[first!].length, `${first} is empty`).toBeGreaterThan(0)
    }
  })
  it('can be streamed by its name', async () => {
    for (const name of Object.keys(realtime)) {
      const stream = await openStream(`/realtime/${name}`)
      expect([name, stream.status]).toEqual([name, 200])
      stream.close()
    }
    const names = new Set(world.heard().map(({ eventType }) => eventType))
    const told = Object.keys(realtime).filter((name) => names.has(spellings[name] ?? name))
    console.log(`realtime: ${told.length} of ${Object.keys(realtime).length}`)
    expect(told).toEqual(Object.keys(realtime))
  })

  it.each(Object.entries(spellings))('%s is another spelling of %s', async (spelling, name) => {
    const stream = await openStream(`/realtime/${spelling}?lastEventId=0`)
    const text = await stream.until('data:')
    expect(text).toContain(`event: ${name}\n`)
    stream.close()
  })
})

/** An event stream as Bob opens it. */
async function openStream(path: string) {
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${world.bob.accessToken}` }
  const response = await fetch(world.server.url + path, { headers, signal: abort.signal })
  return {
    status: response.status,
    /** Reads on until the words have come; answers all there was. */
    async until(words: string) {
      let text = ''
      for await (const chunk of response.body!) {
        text += Buffer.from(chunk).toString()
        if (text.includes(words)) break
      }
      return text
    },
    close: () => abort.abort(),
  }
}

const called = (name: string): ReceivedWebhook[] =>
  world.receiver.received.filter((call) => call.path === `/webhook/${name}`)

describe('every webhook event', () => {
  it.each(Object.keys(webhooks))('%s is sent, with the keys of the interface', (name) => {
    // Where settings or mentions left nobody to notify, it says so.
    const call = called(name).find(({ body }) => body.data.notify !== false)
    expect(call, `${name} was never sent`).toBeDefined()
    expect(verifyWebhook(world.secret, call!)).toEqual(call!.body)
    const { data, ...envelope } = call!.body
    const promised = webhooks[name]!
    expect(Object.keys(data)).toEqual(expect.arrayContaining(promised))
    const [first] = promised
    if (Array.isArray(data[first!])) expect(promised.some((key) => data[key].length > 0)).toBe(true)
    if (!name.startsWith('push-notification/')) return expect(envelope).toEqual({ event: name })
    expect(envelope).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      networkId: 'hubbub',
      path: expect.stringMatching(/^hubbub/),
      eventType: 'push-notification.created',
      // The network's id where nobody acted.
      senderId: expect.stringMatching(/^([0-9a-f]{24}|hubbub)$/),
      sentTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      version: '1',
    })
    expect(data).toMatchObject({
      eventName: expect.any(String),
      notify: true,
      isBroadcast: false,
      targetIds: expect.any(Array),
    })
    expect(data.title).not.toBe('')
    expect(data.body).not.toMatch(/undefined|null|Someone/)
  })

  // Rooms have webhooks of their own; the interface names none for them.
  it('and no other', () => {
    const names = new Set(world.receiver.received.map((call) => call.path.replace('/webhook/', '')))
    const told = Object.keys(webhooks).filter((name) => names.has(name))
    console.log(`webhooks: ${told.length} of ${Object.keys(webhooks).length}`)
    expect([...names].filter((name) => !(name in webhooks) && !name.startsWith('room.'))).toEqual([])
    expect(told).toEqual(Object.keys(webhooks))
  })
})

it('leaves nothing waiting, and nothing given up', async () => {
  const metrics = await (await fetch(`${world.server.url}/metrics`)).text()
  const queues = /^hubbub_(outbox_waiting|outbox_dead_letters|webhook_deliveries_\w+|jobs_failed) 0$/gm
  expect(metrics.match(queues)).toHaveLength(5)
})

describe('push notifications', () => {
  const told = (name: string) => called(`push-notification/${name}`).map(({ body }) => body.data)

  it('are for those concerned, never for who did it', () => {
    expect(told('follow.created').map(({ targetIds }) => targetIds)).toEqual([['alice'], ['alice']])
    expect(told('follow.accepted')[0]).toMatchObject({ targetIds: ['bob'], title: 'alice' })
    expect(told('channel.created')[0]).toMatchObject({ targetIds: ['carol'], title: 'Chat' })
    expect(told('post.need-reviewing')[0].targetIds).toEqual(['alice'])
    expect(told('post.approved')[0].targetIds).toEqual(['bob'])
    expect(told('post.reacted')[0]).toMatchObject({ targetIds: ['alice'], body: 'bob reacted to your post.' })
    expect(told('comment.created')[0]).toMatchObject({
      targetIds: ['alice'],
      isBroadcast: false,
      body: 'bob commented on your post: A comment',
    })
    expect(told('comment.replied')[0].targetIds).toEqual(['bob'])
    expect(told('mention-user-feed-post.created')[0].targetIds).toEqual(['bob'])
    // Her own comment on her own post concerns nobody.
    expect(told('comment.created')).toHaveLength(2)
  })

  it('name those whom their settings let be notified', () => {
    expect(told('channel.joined')[0]).toMatchObject({ targetIds: ['alice', 'carol'], isBroadcast: false })
    for (const name of ['message.created', 'video-streaming.started'])
      expect(told(name)[0]).toMatchObject({ targetIds: ['bob'], isBroadcast: false, notify: true })
    expect(told('video-streaming.started')[0]).toMatchObject({ title: 'alice', body: 'alice is live.' })
  })
})
