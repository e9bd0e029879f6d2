import { describe, expect, it } from 'vitest'
import { eventOf } from '../../../test/realtime/mqtt-harness.ts'
import type { Frame } from './frame.ts'
import { createHub, type Hub, type InterestChange } from './hub.ts'

function member(hub: Hub, ownerId: string, ...filters: string[]) {
  const received: { topic: string; personal: boolean; frame: Frame }[] = []
  const subscriber = hub.connect(ownerId, (frame, topic, personal) =>
    received.push({ topic, personal, frame }),
  )
  for (const filter of filters) hub.subscribe(subscriber, filter)
  return { subscriber, received, topics: () => received.map(({ topic }) => topic) }
}

describe('topics', () => {
  it('delivers once however many filters and topics match', () => {
    const hub = createHub()
    const ada = member(hub, 'ada', 'net/chat/c1', 'net/chat/+', 'net/#')
    const bob = member(hub, 'bob', 'net/chat/c2')
    expect(hub.publish('net/chat/c1', eventOf(1))).toBe(1)
    expect(hub.send({ topics: ['net/chat/c1', 'net/chat/c2'] }, eventOf(2))).toBe(2)
    expect(ada.topics()).toEqual(['net/chat/c1', 'net/chat/c1'])
    expect(bob.topics()).toEqual(['net/chat/c2'])
  })

  it('stops at unsubscribe and disconnect, and forgets everything', () => {
    const hub = createHub()
    const ada = member(hub, 'ada', 'a', 'b/#')
    hub.joinGroup(ada.subscriber, 'g')
    expect(hub.unsubscribe(ada.subscriber, 'a')).toBe(true)
    expect(hub.unsubscribe(ada.subscriber, 'a')).toBe(false)
    expect(hub.publish('a', eventOf(1))).toBe(0)
    hub.disconnect(ada.subscriber)
    hub.disconnect(ada.subscriber)
    expect(hub.publish('b/c', eventOf(1))).toBe(0)
    expect(hub.subscribe(ada.subscriber, 'a')).toBe(false)
    hub.joinGroup(ada.subscriber, 'g')
    hub.joinGroupByOwner('ada', 'g')
    expect(hub.interests()).toEqual({ filters: [], groups: [] })
    expect(hub.stats()).toMatchObject({ subscribers: 0, owners: 0, groups: 0, subscriptions: 0 })
  })

  it('survives a receiver that disconnects itself and others while being delivered to', () => {
    const hub = createHub()
    const others = Array.from({ length: 20 }, (_, i) => member(hub, `u${i}`, 'a'))
    const first = hub.connect('x', () => {
      hub.disconnect(first)
      for (const other of others.slice(10)) hub.disconnect(other.subscriber)
    })
    hub.subscribe(first, 'a')
    hub.publish('a', eventOf(1))
    expect(hub.publish('a', eventOf(2))).toBe(10)
    expect(others[0]?.received.length).toBe(2)
  })
})

describe('groups', () => {
  const personal = (id: string) => ({
    messages: `net/smartfeed/${id}/messages`,
    channels: `net/smartfeed/${id}/channels`,
  })

  it('delivers to each member on its own topic, and only when it is subscribed to that', () => {
    const hub = createHub()
    const ada = member(hub, 'ada', 'net/smartfeed/ada/messages')
    const bob = member(hub, 'bob', 'net/smartfeed/bob/channels')
    const cyd = member(hub, 'cyd', 'net/smartfeed/cyd/#')
    for (const { subscriber } of [ada, bob, cyd]) {
      hub.setPersonalTopics(subscriber, personal(subscriber.ownerId))
      hub.joinGroup(subscriber, 'channel:1')
    }
    expect(hub.publishToGroup('channel:1', 'messages', eventOf(1))).toBe(2)
    expect(ada.received[0]).toMatchObject({ topic: 'net/smartfeed/ada/messages', personal: true })
    expect(cyd.topics()).toEqual(['net/smartfeed/cyd/messages'])
    expect(hub.publishToGroup('channel:1', 'unknown', eventOf(1))).toBe(0)
    expect(hub.publishToGroup('channel:2', 'messages', eventOf(1))).toBe(0)

    hub.subscribe(bob.subscriber, 'net/smartfeed/bob/messages')
    hub.unsubscribe(cyd.subscriber, 'net/smartfeed/cyd/#')
    expect(hub.publishToGroup('channel:1', 'messages', eventOf(2))).toBe(2)
    expect(bob.topics()).toEqual(['net/smartfeed/bob/messages'])
    expect(cyd.received.length).toBe(1)
  })

  it('keeps a personal topic subscribed while any filter covers it', () => {
    const hub = createHub()
    const ada = member(hub, 'ada', 'net/smartfeed/ada/messages', 'net/smartfeed/ada/+')
    hub.setPersonalTopics(ada.subscriber, personal('ada'))
    hub.joinGroup(ada.subscriber, 'g')
    hub.unsubscribe(ada.subscriber, 'net/smartfeed/ada/messages')
    expect(hub.publishToGroup('g', 'messages', eventOf(1))).toBe(1)
    hub.unsubscribe(ada.subscriber, 'net/smartfeed/ada/+')
    expect(hub.publishToGroup('g', 'messages', eventOf(2))).toBe(0)
  })

  it('delivers once to who is reached by a topic and by several groups', () => {
    const hub = createHub()
    const ada = member(hub, 'ada', 'net/chat/c1/#', 'net/smartfeed/ada/messages')
    hub.setPersonalTopics(ada.subscriber, personal('ada'))
    for (const group of ['g1', 'g2']) hub.joinGroup(ada.subscriber, group)
    const groups = [
      { group: 'g1', suffix: 'messages' },
      { group: 'g2', suffix: 'messages' },
    ]
    expect(hub.send({ topics: ['net/chat/c1/f/m'], groups }, eventOf(1))).toBe(1)
    expect(hub.send({ groups }, eventOf(2))).toBe(1)
    expect(ada.topics()).toEqual(['net/chat/c1/f/m', 'net/smartfeed/ada/messages'])
  })

  it('joins and leaves by connection, owner and predicate', () => {
    const hub = createHub()
    const devices = [
      member(hub, 'ada', 'own/ada'),
      member(hub, 'ada', 'own/ada'),
      member(hub, 'bob', 'own/bob'),
    ]
    for (const { subscriber } of devices)
      hub.setPersonalTopics(subscriber, { m: `own/${subscriber.ownerId}` })
    const reached = () => hub.publishToGroup('g', 'm', eventOf(1))
    hub.joinGroupByOwner('ada', 'g')
    expect(reached()).toBe(2)
    hub.joinGroup(({ ownerId }) => ownerId === 'bob', 'g')
    expect(reached()).toBe(3)
    hub.leaveGroup(devices[0]?.subscriber ?? expect.fail(), 'g')
    expect(reached()).toBe(2)
    hub.leaveGroupByOwner('ada', 'g')
    expect(reached()).toBe(1)
    hub.leaveGroup(() => true, 'g')
    expect(reached()).toBe(0)
    expect(hub.connectionsOf('ada').size).toBe(2)
  })

  it('does not bring back a group left while the groups were being loaded', async () => {
    const hub = createHub()
    const ada = member(hub, 'ada')
    const gates: ((groups: string[]) => void)[] = []
    const load = () => new Promise<string[]>((resolve) => gates.push(resolve))
    const loads = [hub.joinLoadedGroups(ada.subscriber, load), hub.joinLoadedGroups(ada.subscriber, load)]
    hub.leaveGroupByOwner('ada', 'left')
    hub.leaveGroupByOwner('ada', 'back')
    hub.joinGroupByOwner('ada', 'back')
    gates[0]?.(['left', 'back', 'kept'])
    await loads[0]
    hub.leaveGroupByOwner('ada', 'kept')
    gates[1]?.(['left', 'kept', 'new'])
    await loads[1]
    expect([...ada.subscriber.groups].sort()).toEqual(['back', 'new'])

    await expect(hub.joinLoadedGroups(ada.subscriber, () => Promise.reject(new Error('no')))).rejects.toThrow(
      'no',
    )
    const late = hub.joinLoadedGroups(ada.subscriber, load)
    hub.disconnect(ada.subscriber)
    gates[2]?.(['ghost'])
    await late
    expect(hub.interests().groups).toEqual([])
  })

  it('costs its online members, not the size of the hub', () => {
    const hub = createHub()
    for (let i = 0; i < 20_000; i++) {
      const { subscriber } = member(hub, `u${i}`, `own/u${i}`)
      hub.setPersonalTopics(subscriber, { m: `own/u${i}` })
      hub.joinGroup(subscriber, `g${i % 2_000}`)
    }
    const started = performance.now()
    for (let i = 0; i < 2_000; i++) expect(hub.publishToGroup(`g${i}`, 'm', eventOf(i))).toBe(10)
    // Visiting all 20,000 each time would take many seconds.
    expect(performance.now() - started).toBeLessThan(3_000)
  })
})

describe('interest', () => {
  it('tells the first and the last of each filter and group, and lists the current ones', () => {
    const hub = createHub()
    const seen: string[] = []
    const stop = hub.onInterest(({ kind, name, wanted }: InterestChange) =>
      seen.push(`${wanted ? '+' : '-'}${kind} ${name}`),
    )
    const ada = member(hub, 'ada', 'a/#')
    const bob = member(hub, 'bob', 'a/#')
    hub.joinGroup(() => true, 'g')
    expect(hub.interests()).toEqual({ filters: ['a/#'], groups: ['g'] })
    hub.disconnect(ada.subscriber)
    expect(seen).toEqual(['+filter a/#', '+group g'])
    hub.disconnect(bob.subscriber)
    expect(seen.slice(2)).toEqual(['-filter a/#', '-group g'])
    stop()
    member(hub, 'cyd', 'b')
    expect(seen.length).toBe(4)
  })

  it('answers whether anyone wants an audience', () => {
    const hub = createHub()
    expect(hub.hasInterest({})).toBe(false)
    const { subscriber } = member(hub, 'ada', 'net/chat/c1/#')
    hub.joinGroup(subscriber, 'g1')
    expect(hub.hasInterest({ topics: ['x', 'net/chat/c1/f'] })).toBe(true)
    expect(hub.hasInterest({ topics: ['net/chat/c2'], groups: ['g1'] })).toBe(true)
    expect(hub.hasInterest({ topics: ['net/chat/c2'], groups: ['g2'] })).toBe(false)
  })
})
