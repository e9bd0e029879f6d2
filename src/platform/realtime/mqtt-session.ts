import type { IConnectPacket, IPublishPacket, Packet } from 'mqtt-packet'
import { newId } from '../ids.ts'
import { mqttBytes, mqttHeader, payloadBytes, type Frame } from './frame.ts'
import type { Subscriber } from './hub.ts'
import type { Link } from './mqtt-link.ts'
import type { Accepted, MqttGatewayOptions, MqttLimits } from './mqtt-options.ts'
import { controlFrame, pingResponse } from './mqtt-packets.ts'
import { isTopicFilter, isTopicName } from './topics.ts'

/** What a session tells the gateway it belongs to. */
export interface SessionOwner<Session> {
  options: MqttGatewayOptions<Session>
  limits: MqttLimits
  /** Called before the client learns that it is connected; ends an older connection of the same client. */
  register: (session: MqttSession<Session>) => void
  onError: (error: unknown) => void
  counters: {
    delivered: number
    deliveredBytes: number
    refusedSubscriptions: number
    ignoredPublishes: number
  }
}

interface Identity<Session> {
  clientId: string
  ownerId: string
  session: Session
  subscriber: Subscriber
}

/** One client's MQTT state. */
export interface MqttSession<Session> {
  handle: (packet: Packet) => void | Promise<void>
  /** Who it is, once accepted. */
  identity: () => Identity<Session> | undefined
  /** Ends the connection if its session matches, also while the session is still being looked up. */
  disconnect: (matches: (session: Session) => boolean, reason: string) => boolean
  /** Cuts the matching subscriptions, also those still being authorized. Returns how many. */
  revoke: (matches: (session: Session, filter: string) => boolean) => number
  link: Link
}

const PROTOCOL_IDS: Record<number, string> = { 3: 'MQIsdp', 4: 'MQTT' }
const REFUSED = 0x80
const UNSUPPORTED_VERSION_5 = 0x84
// Filters of one SUBSCRIBE that are authorized at the same time.
const AUTHORIZE_AT_ONCE = 8

/** Answers a client's packets by the rules of MQTT 3.1.1 for a server that only sends QoS 0 and keeps no sessions. */
export function createMqttSession<Session>(link: Link, owner: SessionOwner<Session>): MqttSession<Session> {
  const { options, limits, counters } = owner
  const { hub } = options
  let connecting = false
  let connected = false
  let identity: Identity<Session> | undefined
  const missedDisconnects: { matches: (session: Session) => boolean; reason: string }[] = []
  const authorizing = new Set<{ filter: string; revoked: boolean }>()

  function deliver(frame: Frame, topic: string, personal: boolean): void {
    counters.delivered++
    if (personal) {
      const header = mqttHeader(frame, topic)
      const payload = payloadBytes(frame)
      counters.deliveredBytes += header.length + payload.length
      link.push(header)
      link.push(payload)
      return
    }
    const bytes = mqttBytes(frame, topic)
    counters.deliveredBytes += bytes.length
    link.push(bytes)
  }

  // The result of a hook, or undefined and a line in the log when it throws or rejects.
  async function attempt<T>(hook: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await hook()
    } catch (error) {
      owner.onError(error)
      return undefined
    }
  }

  async function connect(packet: IConnectPacket): Promise<void> {
    connecting = true
    const version = packet.protocolVersion ?? 0
    if (version === 5) {
      link.push(controlFrame({ cmd: 'connack', reasonCode: UNSUPPORTED_VERSION_5, sessionPresent: false }, 5))
      return link.close('unsupportedProtocol', 'MQTT 5 is not supported; use 3.1.1')
    }
    if (PROTOCOL_IDS[version] !== packet.protocolId) return refuse(1, 'unacceptable protocol version')
    if (packet.clientId === '' && !packet.clean) return refuse(2, 'a client id is needed to keep a session')
    const clientId = packet.clientId || newId()

    const credentials = { clientId, username: packet.username, password: packet.password?.toString() }
    const answer = await attempt(() => options.authenticate(credentials))
    if (link.isClosed()) return
    if (!answer) return refuse(3, 'sign-in is not available now')
    if ('refuse' in answer) return refuse(answer.refuse, answer.reason)
    const missed = missedDisconnects.find(({ matches }) => matches(answer.session))
    if (missed) return refuse(2, missed.reason)
    await accept(clientId, packet.keepalive ?? 0, answer)
  }

  async function accept(clientId: string, keepAlive: number, answer: Accepted<Session>): Promise<void> {
    const { ownerId, session, expiresAt } = answer
    const subscriber = hub.connect(ownerId, deliver)
    identity = { clientId, ownerId, session, subscriber }
    owner.register(self)
    if (expiresAt) link.closeAt(expiresAt)
    await options.onConnected?.(session, subscriber)
    if (link.isClosed()) return
    connected = true
    link.startKeepAlive(keepAlive)
    // Events missed while away are fetched over HTTP, so a session is never present.
    link.push(controlFrame({ cmd: 'connack', returnCode: 0, sessionPresent: false }))
  }

  function refuse(returnCode: number, reason: string): void {
    link.push(controlFrame({ cmd: 'connack', returnCode, sessionPresent: false }))
    link.close('notAuthenticated', reason)
  }

  async function subscribe(me: Identity<Session>, messageId: number, filters: string[]): Promise<void> {
    if (filters.length === 0) return link.close('protocolViolation', 'SUBSCRIBE without a filter')
    const granted: number[] = []
    for (let i = 0; i < filters.length; i += AUTHORIZE_AT_ONCE) {
      granted.push(
        ...(await Promise.all(filters.slice(i, i + AUTHORIZE_AT_ONCE).map((filter) => grant(me, filter)))),
      )
      if (link.isClosed()) return
    }
    counters.refusedSubscriptions += granted.filter((code) => code === REFUSED).length
    link.push(controlFrame({ cmd: 'suback', messageId, granted }))
  }

  async function grant({ session, subscriber }: Identity<Session>, filter: string): Promise<number> {
    if (!isTopicFilter(filter, limits.maxTopicLevels)) return REFUSED
    const held = subscriber.filters
    if (!held.has(filter) && held.size + authorizing.size >= limits.maxSubscriptions) return REFUSED
    const pending = { filter, revoked: false }
    authorizing.add(pending)
    try {
      const allowed = await options.authorize(session, filter)
      if (link.isClosed()) return REFUSED
      if (!allowed || pending.revoked) {
        drop(session, subscriber, filter)
        return REFUSED
      }
      hub.subscribe(subscriber, filter)
      await options.onSubscribed?.(session, subscriber, filter)
      return held.has(filter) ? 0 : REFUSED
    } catch (error) {
      owner.onError(error)
      drop(session, subscriber, filter)
      return REFUSED
    } finally {
      authorizing.delete(pending)
    }
  }

  function drop(session: Session, subscriber: Subscriber, filter: string): boolean {
    const dropped = hub.unsubscribe(subscriber, filter)
    try {
      if (dropped) options.onUnsubscribed?.(session, subscriber, filter)
    } catch (error) {
      owner.onError(error)
    }
    return dropped
  }

  function unsubscribe(
    { session, subscriber }: Identity<Session>,
    messageId: number,
    filters: string[],
  ): void {
    if (filters.length === 0) return link.close('protocolViolation', 'UNSUBSCRIBE without a filter')
    for (const filter of filters) drop(session, subscriber, filter)
    link.push(controlFrame({ cmd: 'unsuback', messageId, granted: [] }))
  }

  async function publish({ session }: Identity<Session>, packet: IPublishPacket): Promise<void> {
    const { qos, messageId, topic } = packet
    if (!isTopicName(topic))
      return link.close('protocolViolation', 'PUBLISH needs a topic name without wildcards')
    if (options.onPublish) {
      await attempt(() => options.onPublish?.(session, topic, Buffer.from(packet.payload)))
    } else counters.ignoredPublishes++
    if (qos > 0 && messageId !== undefined) {
      link.push(controlFrame({ cmd: qos === 1 ? 'puback' : 'pubrec', messageId }))
    }
  }

  function handle(packet: Packet): void | Promise<void> {
    if (packet.cmd === 'connect') {
      return connecting ? link.close('protocolViolation', 'second CONNECT') : connect(packet)
    }
    if (!identity || !connected) return link.close('protocolViolation', `${packet.cmd} before CONNECT`)
    switch (packet.cmd) {
      case 'pingreq':
        return link.push(pingResponse)
      case 'subscribe':
        return subscribe(
          identity,
          packet.messageId ?? 0,
          packet.subscriptions.map(({ topic }) => topic),
        )
      case 'unsubscribe':
        return unsubscribe(identity, packet.messageId ?? 0, packet.unsubscriptions)
      case 'publish':
        return publish(identity, packet)
      case 'pubrel':
        return link.push(controlFrame({ cmd: 'pubcomp', messageId: packet.messageId ?? 0 }))
      case 'puback':
      case 'pubrec':
      case 'pubcomp':
        return undefined
      case 'disconnect':
        return link.close('clientDisconnected', '')
      case 'connack':
      case 'suback':
      case 'unsuback':
      case 'pingresp':
      case 'auth':
        return link.close('protocolViolation', `${packet.cmd} is not for clients to send`)
    }
  }

  const self: MqttSession<Session> = {
    handle,
    identity: () => identity,
    disconnect(matches, reason) {
      if (!identity) {
        if (connecting) missedDisconnects.push({ matches, reason })
        return false
      }
      if (!matches(identity.session)) return false
      link.close('disconnected', reason)
      return true
    },
    revoke(matches) {
      if (!identity) return 0
      const { session, subscriber } = identity
      for (const pending of authorizing) pending.revoked ||= matches(session, pending.filter)
      return [...subscriber.filters].filter(
        (filter) => matches(session, filter) && drop(session, subscriber, filter),
      ).length
    },
    link,
  }
  return self
}
