import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Log } from '../../log.ts'
import type { MediaLimits } from '../options.ts'
import { runSession, type SessionHandlers } from './session.ts'

export type RtmpServer = { listen(): Promise<void>; port(): number; close(): Promise<void> }

/** Listens for RTMP clients and runs a session for each, up to the limit. */
export function createRtmpServer(
  address: { host: string; port: number },
  handlers: SessionHandlers,
  limits: MediaLimits,
  log: Log,
): RtmpServer {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    if (sockets.size >= limits.maxConnections) return void socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    runSession(socket, handlers, limits, log)
  })

  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(address.port, address.host, () => {
          server.off('error', reject)
          server.on('error', (error) => log.error({ err: error }, 'the RTMP server failed'))
          resolve()
        })
      }),
    port: () => (server.address() as AddressInfo | null)?.port ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
