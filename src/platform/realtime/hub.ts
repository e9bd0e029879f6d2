import type { Frame } from './frame.ts'
import { filterMatches } from './topics.ts'
import { createTopicTrie } from './topic-trie.ts'

/** Hands one event to a connection. `personal` says that no other owner has this topic. Must not throw. */
export type Deliver = (frame: Frame, topic: string, personal: boolean) => void

/** One connection as the hub knows it. Changed through the hub only. */
export interface Subscriber {
  readonly ownerId: string
  readonly filters: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
}

/** A group delivery: each member gets the event on the personal topic it registered under `suffix`. */
export interface GroupTarget {
  group: string
  suffix: string
}

export interface Audience {
  topics?: readonly string[]
  groups?: readonly GroupTarget[]
}

/** A filter or group that gained its first subscriber (`wanted`) or lost its last. */
export interface InterestChange {
  kind: 'filter' | 'group'
  name: string
  wanted: boolean
}

interface Member {
  ownerId: string
  filters: Set<string>
  groups: Set<string>
  deliver: Deliver
  personal: Map<string, PersonalTopic>
  /** For each load of groups under way, the groups left since it began. */
  loads: Set<Set<string>>
  lastSend: number
}

interface PersonalTopic {
  topic: string
  subscribed: boolean
}

export type Hub = ReturnType<typeof createHub>

/**
 * In-process fan-out. Subscribers are found by topic filter (MQTT wildcards) or by group; one send reaches
 * each subscriber at most once, whatever number of filters and groups match.
 */
export function createHub() {
  const trie = createTopicTrie<Member>()
  const members = new Map<Subscriber, Member>()
  const byOwner = new Map<string, Set<Member>>()
  const groups = new Map<string, Set<Member>>()
  const listeners = new Set<(change: InterestChange) => void>()
  let sends = 0
  let subscriptions = 0

  function tell(kind: InterestChange['kind'], name: string, wanted: boolean): void {
    for (const listener of listeners) listener({ kind, name, wanted })
  }

  function enterGroup(member: Member, group: string): void {
    for (const left of member.loads) left.delete(group)
    if (member.groups.has(group)) return
    member.groups.add(group)
    if (addTo(groups, group, member)) tell('group', group, true)
  }

  function exitGroup(member: Member, group: string): void {
    for (const left of member.loads) left.add(group)
    if (!member.groups.delete(group)) return
    if (removeFrom(groups, group, member)) tell('group', group, false)
  }

  function dropFilter(member: Member, filter: string): boolean {
    if (!member.filters.delete(filter)) return false
    subscriptions--
    for (const personal of member.personal.values())
      personal.subscribed = isSubscribed(member, personal.topic)
    if (trie.remove(filter, member)) tell('filter', filter, false)
    return true
  }

  function selected(target: Subscriber | ((subscriber: Subscriber) => boolean)): Member[] {
    if (typeof target === 'function') return [...members.values()].filter(target)
    const member = members.get(target)
    return member ? [member] : []
  }

  const hub = {
    /** Registers a connection. It receives nothing until it subscribes. */
    connect(ownerId: string, deliver: Deliver): Subscriber {
      const member: Member = {
        ownerId,
        filters: new Set(),
        groups: new Set(),
        deliver,
        personal: new Map(),
        loads: new Set(),
        lastSend: 0,
      }
      members.set(member, member)
      addTo(byOwner, ownerId, member)
      return member
    },

    /** Forgets a connection with all its filters and groups. A second call does nothing. */
    disconnect(subscriber: Subscriber): void {
      const member = members.get(subscriber)
      if (!member) return
      members.delete(subscriber)
      removeFrom(byOwner, member.ownerId, member)
      for (const filter of [...member.filters]) dropFilter(member, filter)
      for (const group of [...member.groups]) exitGroup(member, group)
    },

    /** Adds a well-formed topic filter; false when the connection is gone or has it already. */
    subscribe(subscriber: Subscriber, filter: string): boolean {
      const member = members.get(subscriber)
      if (!member || member.filters.has(filter)) return false
      member.filters.add(filter)
      subscriptions++
      for (const personal of member.personal.values())
        personal.subscribed ||= filterMatches(filter, personal.topic)
      if (trie.add(filter, member)) tell('filter', filter, true)
      return true
    },

    /** Removes a topic filter; false when it was not there. */
    unsubscribe(subscriber: Subscriber, filter: string): boolean {
      const member = members.get(subscriber)
      return member !== undefined && dropFilter(member, filter)
    },

    /** Sets where group events of each suffix reach this connection: suffix -> topic that only its owner has. */
    setPersonalTopics(subscriber: Subscriber, topics: Readonly<Record<string, string>>): void {
      const member = members.get(subscriber)
      if (!member) return
      member.personal.clear()
      for (const [suffix, topic] of Object.entries(topics)) {
        member.personal.set(suffix, { topic, subscribed: isSubscribed(member, topic) })
      }
    },

    /** Adds a connection, or all for which the predicate holds, to a group. */
    joinGroup(target: Subscriber | ((subscriber: Subscriber) => boolean), group: string): void {
      for (const member of selected(target)) enterGroup(member, group)
    },

    /** Removes a connection, or all for which the predicate holds, from a group. */
    leaveGroup(target: Subscriber | ((subscriber: Subscriber) => boolean), group: string): void {
      for (const member of selected(target)) exitGroup(member, group)
    },

    /** Adds every connection of an owner to a group. */
    joinGroupByOwner(ownerId: string, group: string): void {
      for (const member of byOwner.get(ownerId) ?? []) enterGroup(member, group)
    },

    /** Removes every connection of an owner from a group. */
    leaveGroupByOwner(ownerId: string, group: string): void {
      for (const member of byOwner.get(ownerId) ?? []) exitGroup(member, group)
    },

    /**
     * Adds a connection to all groups that `load` finds. A group left while loading stays left, so a stale
     * answer cannot bring back a membership that has ended. Rejects as `load` does.
     */
    async joinLoadedGroups(subscriber: Subscriber, load: () => Promise<Iterable<string>>): Promise<void> {
      const member = members.get(subscriber)
      if (!member) return
      const left = new Set<string>()
      member.loads.add(left)
      try {
        for (const group of await load()) {
          if (members.has(subscriber) && !left.has(group)) enterGroup(member, group)
        }
      } finally {
        member.loads.delete(left)
      }
    },

    /** Delivers one event to everyone its topics and groups reach, once each. Returns how many that were. */
    send(audience: Audience, frame: Frame): number {
      const send = ++sends
      let receivers = 0
      for (const topic of audience.topics ?? []) {
        for (const matched of trie.match(topic)) {
          for (const member of matched) {
            if (member.lastSend === send) continue
            member.lastSend = send
            receivers++
            member.deliver(frame, topic, false)
          }
        }
      }
      for (const { group, suffix } of audience.groups ?? []) {
        for (const member of groups.get(group) ?? []) {
          const personal = member.personal.get(suffix)
          if (member.lastSend === send || !personal?.subscribed) continue
          member.lastSend = send
          receivers++
          member.deliver(frame, personal.topic, true)
        }
      }
      return receivers
    },

    /** Delivers to all subscribers of a topic name. Returns how many that were. */
    publish: (topic: string, frame: Frame): number => hub.send({ topics: [topic] }, frame),

    /** Delivers to each member of a group on its personal topic of that suffix, if it is subscribed to it. */
    publishToGroup: (group: string, suffix: string, frame: Frame): number =>
      hub.send({ groups: [{ group, suffix }] }, frame),

    /** Whether a send to this audience could reach anyone; lets a caller skip building the event. */
    hasInterest: (audience: { topics?: readonly string[]; groups?: readonly string[] }): boolean =>
      (audience.topics ?? []).some(trie.matches) ||
      (audience.groups ?? []).some((group) => groups.has(group)),

    /** Tells of first and last subscribers of each filter and group, from now on. Returns how to stop. */
    onInterest(listener: (change: InterestChange) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** All filters and groups wanted now; what a bus needs when it connects late or again. */
    interests: (): { filters: string[]; groups: string[] } => ({
      filters: trie.filters(),
      groups: [...groups.keys()],
    }),

    /** Connections of an owner; the live side of presence. */
    connectionsOf: (ownerId: string): ReadonlySet<Subscriber> => byOwner.get(ownerId) ?? new Set(),

    stats: () => ({
      subscribers: members.size,
      owners: byOwner.size,
      groups: groups.size,
      subscriptions,
      sends,
    }),
  }
  return hub
}

function isSubscribed(member: Member, topic: string): boolean {
  if (member.filters.has(topic)) return true
  for (const filter of member.filters) if (filterMatches(filter, topic)) return true
  return false
}

function addTo<K, V>(index: Map<K, Set<V>>, key: K, value: V): boolean {
  const values = index.get(key)
  if (!values) index.set(key, new Set([value]))
  else values.add(value)
  return values === undefined
}

function removeFrom<K, V>(index: Map<K, Set<V>>, key: K, value: V): boolean {
  const values = index.get(key)
  if (!values?.delete(value) || values.size > 0) return false
  return index.delete(key)
}
