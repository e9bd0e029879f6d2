import type { Log } from '../log.ts'
import type { Hub, Subscriber } from './hub.ts'

export interface Credentials {
  clientId: string
  username: string | undefined
  password: string | undefined
}

/** A connection let in: whose it is, what the hooks are told of it, and when it ends at the latest. */
export interface Accepted<Session> {
  ownerId: string
  session: Session
  expiresAt?: Date | undefined
}

/** A connection refused with a CONNACK code. The known clients stop trying after 2 and try again after 4 and 5. */
export interface Refused {
  refuse: 2 | 4 | 5
  reason: string
}

/** What the application decides. A hook that throws is logged and counts as a refusal. */
export interface MqttHooks<Session> {
  authenticate: (credentials: Credentials) => Promise<Accepted<Session> | Refused>
  /** Whether a session may hold a filter. Called before every subscription. */
  authorize: (session: Session, filter: string) => Promise<boolean>
  /** Runs before the client is told that it is connected: personal topics and groups are set here. */
  onConnected?: (session: Session, subscriber: Subscriber) => void | Promise<void>
  /** Runs before the client is told that it is subscribed. */
  onSubscribed?: (session: Session, subscriber: Subscriber, filter: string) => void | Promise<void>
  onUnsubscribed?: (session: Session, subscriber: Subscriber, filter: string) => void
  /** Takes what a client publishes. Without it client publishes are acknowledged and dropped. */
  onPublish?: (session: Session, topic: string, payload: Buffer) => void | Promise<void>
  onClosed?: (session: Session, subscriber: Subscriber, reason: CloseReason) => void
}

export interface MqttLimits {
  maxConnections: number
  maxSubscriptions: number
  maxTopicLevels: number
  /** Bytes of one packet from a client. */
  maxPacketBytes: number
  maxPacketsPerSecond: number
  /** Bytes that may wait for one client before it is dropped as too slow. */
  maxBufferedBytes: number
  /** From the upgrade to the end of CONNECT. */
  connectTimeoutMs: number
  /** How long a closed client has to confirm before its socket is destroyed. */
  closeTimeoutMs: number
  flushIntervalMs: number
}

export interface MqttGatewayOptions<Session> extends MqttHooks<Session>, Partial<MqttLimits> {
  hub: Hub
  log: Log
}

export const defaultLimits: MqttLimits = {
  maxConnections: 50_000,
  maxSubscriptions: 1_000,
  maxTopicLevels: 32,
  maxPacketBytes: 64 * 1024,
  maxPacketsPerSecond: 1_000,
  maxBufferedBytes: 4 * 1024 * 1024,
  connectTimeoutMs: 10_000,
  closeTimeoutMs: 5_000,
  flushIntervalMs: 5,
}

/** Every way a connection ends, with the WebSocket close code the client sees; 4000 and above are ours. */
export const closeCodes = {
  clientDisconnected: 1000,
  connectionLost: 1006,
  serverShutdown: 1001,
  malformedPacket: 1002,
  protocolViolation: 1002,
  unsupportedProtocol: 1002,
  textFrame: 1003,
  notAuthenticated: 1008,
  disconnected: 1008,
  tooManyPackets: 1008,
  packetTooLarge: 1009,
  serverError: 1011,
  slowReader: 1013,
  takenOver: 4001,
  sessionExpired: 4002,
  keepAliveTimeout: 4003,
  connectTimeout: 4004,
} as const

export type CloseReason = keyof typeof closeCodes
