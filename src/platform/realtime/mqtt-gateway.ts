import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Subscriber } from './hub.ts'
import { createLink } from './mqtt-link.ts'
import { defaultLimits, type CloseReason, type MqttGatewayOptions, type MqttLimits } from './mqtt-options.ts'
import { createMqttSession, type MqttSession } from './mqtt-session.ts'
import { spreadOver } from './spread.ts'
import { createFlusher } from './writer.ts'

export type MqttGateway<Session> = ReturnType<typeof createMqttGateway<Session>>

const SUBPROTOCOLS = ['mqtt', 'mqttv3.1']

/**
 * An MQTT 3.1.1 server over WebSocket. Clients subscribe, at QoS 0 whatever they ask; events come from the hub.
 * It has no port of its own: give it the `upgrade` requests of an HTTP server.
 */
export function createMqttGateway<Session>(options: MqttGatewayOptions<Session>) {
  const limits: MqttLimits = { ...defaultLimits, ...definedOnly(options) }
  const flusher = createFlusher(limits.flushIntervalMs)
  const connections = new Set<MqttSession<Session>>()
  const sockets = new Set<WebSocket>()
  const bySubscriber = new Map<Subscriber, MqttSession<Session>>()
  const byClient = new Map<string, MqttSession<Session>>()
  const closed: Partial<Record<CloseReason, number>> = {}
  const counters = { delivered: 0, deliveredBytes: 0, refusedSubscriptions: 0, ignoredPublishes: 0 }
  let opened = 0
  let refusedUpgrades = 0
  let closing: Promise<void> | undefined

  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // One frame may carry several packets; each is measured by itself.
    maxPayload: limits.maxPacketBytes * 4,
    handleProtocols: (offered) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
  })

  function onError(error: unknown): void {
    options.log.error({ err: error }, 'realtime hook failed')
  }

  function register(session: MqttSession<Session>): void {
    const key = clientKey(session)
    byClient.get(key)?.link.close('takenOver', 'the same client connected again')
    byClient.set(key, session)
    const identity = session.identity()
    if (identity) bySubscriber.set(identity.subscriber, session)
  }

  function open(ws: WebSocket, socket: Duplex): void {
    opened++
    sockets.add(ws)
    ws.once('close', () => sockets.delete(ws))
    const link = createLink(ws, socket, {
      limits,
      flusher,
      onPacket: (packet) => session.handle(packet),
      onError,
      onClosed(reason, detail) {
        connections.delete(session)
        closed[reason] = (closed[reason] ?? 0) + 1
        const identity = session.identity()
        if (reason === 'slowReader') {
          options.log.warn({ ownerId: identity?.ownerId, detail }, 'realtime client dropped: too slow')
        }
        if (!identity) return
        const key = clientKey(session)
        if (byClient.get(key) === session) byClient.delete(key)
        bySubscriber.delete(identity.subscriber)
        options.hub.disconnect(identity.subscriber)
        try {
          options.onClosed?.(identity.session, identity.subscriber, reason)
        } catch (error) {
          onError(error)
        }
      },
    })
    const session: MqttSession<Session> = createMqttSession(link, {
      options,
      limits,
      register,
      onError,
      counters,
    })
    connections.add(session)
  }

  function* sessionsOf(ownerId: string): Iterable<MqttSession<Session>> {
    for (const subscriber of options.hub.connectionsOf(ownerId)) {
      const session = bySubscriber.get(subscriber)
      if (session) yield session
    }
  }

  async function shutDown(drainMs: number): Promise<void> {
    const sessions = [...connections]
    // The protocol has no word for "come back later": spreading the closes spreads the reconnects.
    await spreadOver(sessions, drainMs, (session, delayMs) => {
      session.link.close('serverShutdown', `server restarting; reconnect after ${delayMs} ms`)
    })
    // Each link destroys its socket after the close time-out, so these all end.
    await Promise.all([...sockets].map((ws) => new Promise((resolve) => ws.once('close', resolve))))
  }

  return {
    /** Takes over an HTTP upgrade request. Answers 503 when full or closing, 400 for a foreign sub-protocol. */
    handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
      const offered = req.headers['sec-websocket-protocol']
      if (closing || connections.size >= limits.maxConnections) {
        refusedUpgrades++
        refuseUpgrade(socket, '503 Service Unavailable', ['Retry-After: 5'])
      } else if (offered && !offered.split(',').some((name) => SUBPROTOCOLS.includes(name.trim()))) {
        refusedUpgrades++
        refuseUpgrade(socket, '400 Bad Request', [])
      } else server.handleUpgrade(req, socket, head, (ws) => open(ws, socket))
    },

    /** Ends all connections whose session matches. The reason is sent in the close frame. Returns how many. */
    disconnect: (matches: (session: Session) => boolean, reason: string): number =>
      [...connections].filter((session) => session.disconnect(matches, reason)).length,

    /**
     * Cuts all matching subscriptions at once, leaving the connections. Returns how many. With an owner only
     * that owner's connections are looked at; without, all of them.
     */
    revoke(matches: (session: Session, filter: string) => boolean, ownerId?: string): number {
      let revoked = 0
      for (const session of ownerId === undefined ? connections : sessionsOf(ownerId))
        revoked += session.revoke(matches)
      return revoked
    },

    /** Refuses new connections and closes the open ones, spread over `drainMs`. Resolves when all are gone. */
    close: ({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> => (closing ??= shutDown(drainMs)),

    stats: () => ({
      connections: connections.size,
      opened,
      refusedUpgrades,
      ...counters,
      closed: { ...closed },
      bufferedBytes: [...connections].reduce((sum, { link }) => sum + link.bufferedBytes(), 0),
    }),
  }
}

function clientKey<Session>(session: MqttSession<Session>): string {
  const identity = session.identity()
  return `${identity?.ownerId}\0${identity?.clientId}`
}

function definedOnly(options: Partial<MqttLimits>): Partial<MqttLimits> {
  const given = (Object.keys(defaultLimits) as (keyof MqttLimits)[]).filter(
    (key) => options[key] !== undefined,
  )
  return Object.fromEntries(given.map((key) => [key, options[key]]))
}

function refuseUpgrade(socket: Duplex, status: string, headers: string[]): void {
  socket.on('error', () => socket.destroy())
  const lines = [`HTTP/1.1 ${status}`, 'Connection: close', 'Content-Length: 0', ...headers]
  socket.once('finish', () => socket.destroy())
  socket.end(`${lines.join('\r\n')}\r\n\r\n`)
}
