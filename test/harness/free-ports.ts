import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** Ports of a server that is to be started. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  for (const server of servers) if (!server.listening) await once(server, 'listening')
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  return ports
}
