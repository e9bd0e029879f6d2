import { createSocket } from 'node:dgram'
import type { Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { afterEach } from 'vitest'
import { isOutboundError } from '../src/platform/outbound/outbound-errors.ts'
import { createOutbound } from '../src/platform/outbound/outbound.ts'
import type { OutboundOptions, OutboundRequest } from '../src/platform/outbound/outbound.ts'

/** Run in reverse order after each test. */
export const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Listens on a free port until the test ends. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<NodeJS.ReadWriteStream & { destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, host)
  await once(server, 'listening')
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}
export const serve = (listener: RequestListener) => listen(createServer(listener))

/** A client that may call loopback, closed when the test ends. */
export function client(options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({ allowPrivate: true, userAgent: 'Test/1', ...options })
  cleanups.push(() => outbound.close(0))
  const request = (url: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({ url, timeoutMs: 5000, maxResponseBytes: 100_000, ...more })
  const code = async (url: string, more?: Partial<OutboundRequest>) => {
    const outcome: unknown = await request(url, more).catch((error: unknown) => error)
    return isOutboundError(outcome) ? outcome.code : outcome
  }
  return { outbound, request, code }
}

/** A real name server: answers each A question with the next of its lists of addresses, and has no AAAA. */
export async function nameServer(answers: string[][], delayMs = 0) {
  const socket: Socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (question, from) => {
    const end = question.indexOf(0, 12)
    const type = question.readUInt16BE(end + 1)
    const addresses = type === 1 ? (answers[Math.min(asked.length, answers.length - 1)] ?? []) : []
    if (type === 1) asked.push(question.toString('latin1', 13, end))
    const header = Buffer.from(question.subarray(0, end + 5))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.fill(0, 8, 12)
    const records = addresses.map((each) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...each.split('.').map(Number)]),
    )
    setTimeout(() => socket.send(Buffer.concat([header, ...records]), from.port, from.address), delayMs)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  cleanups.push(async () => void socket.close())
  return { asked, dnsServers: [`127.0.0.1:${socket.address().port}`] }
}
