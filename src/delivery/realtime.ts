import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../kernel/errors.ts'
import { parseMembersAudience, paths, type Audience } from '../kernel/paths.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { Log } from '../platform/log.ts'
import { createEventStreams, type EventStreams } from '../platform/realtime/event-streams.ts'
import { createFrame } from '../platform/realtime/frame.ts'
import { createHub, type Hub, type Subscriber } from '../platform/realtime/hub.ts'
import { createMqttGateway, type MqttGateway } from '../platform/realtime/mqtt-gateway.ts'
import type { RealtimeBus, RealtimeMessage } from './realtime-sink.ts'

/** Whoever is behind a connection. The token is kept to be checked again when their rights may have changed. */
export interface Listener {
  viewer: Viewer
  token: string
}

export interface RealtimeOptions {
  log: Log
  /** The viewer behind a token; fails as a request with it would. */
  signIn(token: string): Promise<{ viewer: Viewer; expiresAt: Date }>
  /** Whether a viewer may hold a topic filter. */
  mayListen(viewer: Viewer, filter: string): Promise<boolean>
  /** The groups whose events reach a viewer on their personal topics. */
  groupsOf(viewer: Viewer): Promise<string[]>
  /** Resolves when what connections subscribed to so far will reach this node. */
  settled?(): Promise<void>
}

/** Everything that listens to this node: MQTT connections and event streams, fed by one hub. */
export interface Realtime {
  bus: RealtimeBus
  hub: Hub
  streams: EventStreams<Listener>
  gateway: MqttGateway<Listener>
  /** Takes over upgrade requests of the HTTP server for the MQTT path; others are refused. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Checks again who matches: whose token no longer stands is disconnected, and lost subscriptions are cut. */
  recheck(matches: (listener: Listener) => boolean): void
  /** Sets up a connection's personal topics and groups. */
  introduce(listener: Listener, subscriber: Subscriber): Promise<void>
  /** Makes every connection come again, for what it may have missed. */
  reconnectAll(reason: string): void
  /** Forgets a connection that is gone. */
  dismiss(subscriber: Subscriber): void
  close(drainMs: number): Promise<void>
}

const mqttPath = '/mqtt'
/** CONNACK code that makes the published clients stop trying: with a bad token, trying again is of no use. */
const refusedForGood = 2
const refusedForNow = 5

export function createRealtime({ log, signIn, mayListen, groupsOf, settled }: RealtimeOptions): Realtime {
  const hub = createHub()
  const streams = createEventStreams<Listener>({ hub })
  const listeners = new Map<Subscriber, Listener>()

  const introduce = async (listener: Listener, subscriber: Subscriber) => {
    const { viewer } = listener
    listeners.set(subscriber, listener)
    hub.setPersonalTopics(subscriber, {
      channels: paths.smartFeed(viewer.id, 'channels'),
      messagefeeds: paths.smartFeed(viewer.id, 'messagefeeds'),
      messages: paths.smartFeed(viewer.id, 'messages'),
    })
    await hub.joinLoadedGroups(subscriber, () => groupsOf(viewer))
    await settled?.()
  }

  const dismiss = (subscriber: Subscriber) => void listeners.delete(subscriber)

  const gateway = createMqttGateway<Listener>({
    hub,
    log,
    async authenticate({ username, password = '' }) {
      try {
        const { viewer, expiresAt } = await signIn(password)
        if (username && username !== viewer.id)
          return { refuse: refusedForGood, reason: 'the token is of another user' }
        return { ownerId: viewer.id, session: { viewer, token: password }, expiresAt }
      } catch (error) {
        if (error instanceof ApiError && error.status < 500)
          return { refuse: refusedForGood, reason: error.reason }
        log.warn({ err: error }, 'realtime sign-in failed')
        return { refuse: refusedForNow, reason: 'unavailable' }
      }
    },
    authorize: ({ viewer }, filter) => mayListen(viewer, filter),
    onConnected: introduce,
    onSubscribed: () => settled?.(),
    onClosed: (_listener, subscriber) => dismiss(subscriber),
  })

  const recheck = async (subscriber: Subscriber, listener: Listener): Promise<void> => {
    try {
      listener.viewer = (await signIn(listener.token)).viewer
    } catch {
      const isSame = (other: Listener) => other === listener
      gateway.disconnect(isSame, 'the session has ended')
      streams.disconnect(isSame, 'the session has ended')
      return
    }
    const lost = new Set<string>()
    for (const filter of subscriber.filters) if (!(await mayListen(listener.viewer, filter))) lost.add(filter)
    if (lost.size === 0) return
    const isLost = (other: Listener, filter: string) => other === listener && lost.has(filter)
    gateway.revoke(isLost, listener.viewer.id)
    streams.revoke(isLost, listener.viewer.id)
  }
  const recheckAll = async (matches: (listener: Listener) => boolean): Promise<void> => {
    const concerned = [...listeners].filter(([, listener]) => matches(listener))
    await Promise.all(
      concerned.map(([subscriber, listener]) =>
        recheck(subscriber, listener).catch((error: unknown) =>
          log.error({ err: error }, 'realtime recheck failed'),
        ),
      ),
    )
  }

  const bus: RealtimeBus = {
    wants(audiences) {
      const { topics, groups } = split(audiences)
      return hub.hasInterest({ topics, groups: groups.map(({ group }) => group) })
    },
    publish: (audiences, message) => void hub.send(split(audiences), frameOf(message)),
    letIn: ({ userIds, joins }) => {
      if (joins !== undefined && userIds !== 'everyone')
        for (const id of userIds) hub.joinGroupByOwner(id, joins)
    },
    async shutOut({ userIds, joins, leaves }) {
      if (userIds === 'everyone') {
        if (leaves !== undefined) hub.leaveGroup(() => true, leaves)
        // With thousands listening this takes a while, and others' events do not wait for it.
        void recheckAll(() => true)
        return
      }
      if (leaves !== undefined) for (const id of userIds) hub.leaveGroupByOwner(id, leaves)
      // Who only gained has nothing to lose.
      else if (joins !== undefined) return
      const concerned = new Set(userIds)
      await recheckAll(({ viewer }) => concerned.has(viewer.id))
    },
  }

  return {
    bus,
    hub,
    streams,
    gateway,
    introduce,
    dismiss,
    recheck: (matches) => void recheckAll(matches),
    reconnectAll(reason) {
      gateway.disconnect(() => true, reason)
      streams.disconnect(() => true, reason)
    },
    handleUpgrade(request, socket, head) {
      if (request.url?.split('?')[0] === mqttPath) gateway.handleUpgrade(request, socket, head)
      else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
    },
    async close(drainMs) {
      await Promise.all([gateway.close({ drainMs }), streams.close({ drainMs })])
    },
  }
}

/** A message as the hub sends it. */
export function frameOf({ id, position, event, json }: RealtimeMessage) {
  return createFrame({ id, position: position === null ? undefined : String(position), event, json })
}

function split(audiences: Audience[]) {
  const topics: string[] = []
  const groups: { group: string; suffix: string }[] = []
  for (const audience of audiences) {
    const members = parseMembersAudience(audience)
    if (members) groups.push({ group: members.channelId, suffix: members.kind })
    else topics.push(audience)
  }
  return { topics, groups }
}
