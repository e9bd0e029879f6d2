// A gateway on a real port, and two kinds of clients: the published `mqtt` one, and one that sends raw packets.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import { generate, parser, type Packet } from 'mqtt-packet'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { createLog } from '../../src/platform/log.ts'
import { createFrame, type Frame } from '../../src/platform/realtime/frame.ts'
import { createHub } from '../../src/platform/realtime/hub.ts'
import { createMqttGateway } from '../../src/platform/realtime/mqtt-gateway.ts'
import type { MqttGatewayOptions } from '../../src/platform/realtime/mqtt-options.ts'

export interface TestSession {
  userId: string
}

/** Starts a gateway that accepts every password but `wrong` and every filter that does not begin with `private`. */
export async function startGateway(options: Partial<MqttGatewayOptions<TestSession>> = {}) {
  const hub = options.hub ?? createHub()
  const gateway = createMqttGateway<TestSession>({
    hub,
    log: createLog('silent', false),
    authenticate: ({ username = 'anonymous', password }) =>
      Promise.resolve(
        password === 'wrong'
          ? { refuse: 2, reason: 'bad token' }
          : { ownerId: username, session: { userId: username } },
      ),
    authorize: (_session, filter) => Promise.resolve(!/^(private|#|\+)/.test(filter)),
    ...options,
  })
  const server = createServer((_req, res) => res.end('ok'))
  server.on('upgrade', gateway.handleUpgrade)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mqtt`
  onTestFinished(async () => {
    await gateway.close()
    server.close()
  })
  return { hub, gateway, server, url, port: (server.address() as AddressInfo).port }
}

/** The published client, connected; it does not reconnect unless told to. Ended after the test. */
export async function connectClient(url: string, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(
    url,
    {
      reconnectPeriod: 0,
      clean: false,
      clientId: `client-${++clients}`,
      username: 'ada',
      password: 'token',
      ...options,
    },
    false,
  )
  onTestFinished(() => client.endAsync(true))
  return client
}

let clients = 0

export interface RawClient {
  ws: WebSocket
  send: (packet: Packet) => void
  sendBytes: (bytes: Uint8Array) => void
  /** The next packet from the server. Rejects when the connection closes first. */
  next: () => Promise<Packet>
  packets: Packet[]
  closed: Promise<{ code: number; reason: string }>
}

/** A WebSocket that sends and receives MQTT packets one by one. */
export async function openRaw(url: string, protocols: string[] = ['mqtt']): Promise<RawClient> {
  const ws = new WebSocket(url, protocols, { perMessageDeflate: false })
  const packets: Packet[] = []
  const waiting: ((packet: Packet) => void)[] = []
  const reader = parser({ protocolVersion: 4 })
  reader.on('packet', (packet) => (waiting.shift() ?? ((p: Packet) => packets.push(p)))(packet))
  ws.on('message', (data) => reader.parse(data as Buffer))
  ws.on('error', () => undefined)
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })
  onTestFinished(() => ws.terminate())
  await once(ws, 'open')
  return {
    ws,
    send: (packet) => ws.send(generate(packet)),
    sendBytes: (bytes) => ws.send(bytes),
    next: () => {
      const ready = packets.shift()
      if (ready) return Promise.resolve(ready)
      const packet = new Promise<Packet>((resolve) => waiting.push(resolve))
      const ended = closed.then(({ code, reason }) => Promise.reject(new Error(`closed ${code} ${reason}`)))
      return Promise.race([packet, ended])
    },
    packets,
    closed,
  }
}

/** A raw client past its CONNECT. */
export async function connectRaw(
  url: string,
  options: {
    clientId?: string
    username?: string
    password?: string
    keepalive?: number
    clean?: boolean
  } = {},
): Promise<RawClient> {
  const client = await openRaw(url)
  client.send(connectPacket(options))
  const answer = await client.next()
  if (answer.cmd !== 'connack' || answer.returnCode !== 0)
    throw new Error(`refused: ${JSON.stringify(answer)}`)
  return client
}

/** A CONNECT as the known clients send it, apart from the fields given. */
export function connectPacket(fields: {
  clientId?: string
  username?: string
  password?: string
  keepalive?: number
  clean?: boolean
}): Packet {
  return {
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clientId: fields.clientId ?? `raw-${++clients}`,
    clean: fields.clean ?? true,
    keepalive: fields.keepalive ?? 0,
    username: fields.username ?? 'ada',
    password: Buffer.from(fields.password ?? 'token'),
  }
}

/** Subscribes a raw client and returns the granted codes. */
export async function subscribeRaw(client: RawClient, ...filters: string[]): Promise<unknown> {
  client.send({ cmd: 'subscribe', messageId: 7, subscriptions: filters.map((topic) => ({ topic, qos: 0 })) })
  const answer = await client.next()
  return answer.cmd === 'suback' ? answer.granted : answer
}

/** What the published client gets next. */
export function nextMessage(
  client: MqttClient,
): Promise<{ topic: string; payload: string; qos: number; retain: boolean }> {
  return new Promise((resolve) =>
    client.once('message', (topic, payload, { qos, retain }) =>
      resolve({ topic, payload: String(payload), qos, retain }),
    ),
  )
}

/** An event whose JSON is the given value. */
export function eventOf(value: unknown, position?: number): Frame {
  const text = position === undefined ? undefined : String(position)
  return createFrame({
    id: `event-${text ?? 'live'}`,
    position: text,
    event: 'message.created',
    json: JSON.stringify(value),
  })
}

/** Waits until a condition holds; fails after a time-out, in ms. */
export async function until(condition: () => boolean, timeoutMs = 3_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
