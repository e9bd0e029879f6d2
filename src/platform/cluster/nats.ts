import { connect, type NatsConnection, type Subscription } from '@nats-io/transport-node'

export interface BusOptions {
  /** `nats://` or `tls://` addresses, separated by commas; user and password may be in them. */
  url: string
  /** Something said while it was away may be lost. */
  onBack(): void
  onAway(): void
}

/** The NATS server that the nodes of a cluster share: messages to whoever wants them now, none kept. */
export interface Bus {
  /** Whether the server is there. What is published meanwhile is dropped. */
  isConnected(): boolean
  publish(subject: string, payload: string): void
  /** Hears a subject, with `*` for one token and `>` for the rest. Answers how to stop. */
  subscribe(subject: string, hear: (payload: string, answer: () => void) => void): () => void
  /** Publishes and collects answers until `count` have come or the time is over. */
  gather(subject: string, payload: string, count: number, timeoutMs: number): Promise<void>
  /** Resolves when the server has taken everything asked of it so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Connects, and stays connected until closed. Rejects when no server answers. */
export async function connectBus({ url, onBack, onAway }: BusOptions): Promise<Bus> {
  const connection = await connect({
    servers: url.split(',').map((each) => each.trim()),
    name: 'hubbub',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    timeout: 5000,
    pingInterval: 10_000,
    maxPingOut: 2,
  })
  let isConnected = true
  void follow(connection, (now) => {
    if (now === isConnected) return
    isConnected = now
    if (now) onBack()
    else onAway()
  })
  return {
    isConnected: () => isConnected,
    publish(subject, payload) {
      if (isConnected) connection.publish(subject, payload)
    },
    subscribe(subject, hear) {
      const subscription: Subscription = connection.subscribe(subject, {
        callback: (_error, message) => hear(message.string(), () => void message.respond()),
      })
      return () => {
        if (!connection.isClosed()) subscription.unsubscribe()
      }
    },
    async gather(subject, payload, count, timeoutMs) {
      if (!isConnected || count === 0) return
      const answers = await connection.requestMany(subject, payload, {
        strategy: 'count',
        maxMessages: count,
        maxWait: timeoutMs,
      })
      for await (const _answer of answers);
    },
    async flush() {
      if (isConnected) await connection.flush().catch(() => undefined)
    },
    async close() {
      if (!connection.isClosed()) await connection.close()
    },
  }
}

async function follow(connection: NatsConnection, tell: (isConnected: boolean) => void): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') tell(false)
    if (type === 'reconnect') tell(true)
  }
}
