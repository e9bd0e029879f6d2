import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { cleanups, client, listen, nameServer, serve } from '../../../test/loopback.ts'

describe('forbidden addresses', () => {
  test('no notation of a private address is called', async () => {
    let calls = 0
    const port = await serve((_, response) => void response.end(String((calls += 1))))
    const { code } = client({ allowPrivate: false })
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '017700000001',
      '0177.0.0.1',
      '127.0.0.1.',
    ]
    const more = [
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[::127.0.0.1]',
      '0',
      '0.0.0.0',
      '[::]',
    ]
    for (const host of [
      ...hosts,
      ...more,
      '１２７.0.0.1',
      '127。0。0。1',
      '169.254.169.254',
      '10.0.0.1',
      '[fe80::1]',
      '[fd00::1]',
    ]) {
      expect(await code(`http://${host}:${port}/`), host).toBe('forbiddenAddress')
      expect(await code(`https://${host}:${port}/`), host).toBe('forbiddenAddress')
    }
    expect(['forbiddenAddress', 'dnsFailure']).toContain(await code(`http://localhost:${port}/`))
    expect(calls).toBe(0)
  })

  test('what no single machine has is refused even where private addresses are allowed', async () => {
    const { code } = client()
    for (const host of ['0.0.0.0', '[::]', '224.0.0.1', '255.255.255.255', '[ff02::1]']) {
      expect(await code(`http://${host}/`), host).toBe('forbiddenAddress')
    }
  })

  test('a name is refused when any of its addresses is private', async () => {
    let calls = 0
    const port = await serve((_, response) => void response.end(String((calls += 1))))
    const { dnsServers } = await nameServer([['8.8.8.8', '127.0.0.1']])
    const { code } = client({ allowPrivate: false, dnsServers })
    expect(await code(`http://mixed.test:${port}/`)).toBe('forbiddenAddress')
    expect(calls).toBe(0)
  })

  test('a name is resolved once per connection, and connected to what was checked', async () => {
    // Only Linux has more than one loopback address without being told.
    const other = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
    const called: string[] = []
    const listener: RequestListener = (request, response) => {
      called.push(`${request.headers.host} at ${request.socket.localAddress}`)
      response.writeHead(200, { connection: 'close' }).end('x')
    }
    const port = await listen(createServer(listener), '0.0.0.0')
    // A rebinding name server: each second answer is another address, on which nobody may be called.
    const names = await nameServer([['127.0.0.1'], ['224.0.0.1'], [other]])
    const { code, request } = client({ dnsServers: names.dnsServers })
    expect((await request(`http://rebind.test:${port}/`)).status).toBe(200)
    expect(names.asked).toHaveLength(1)
    expect(await code(`http://rebind.test:${port}/`)).toBe('forbiddenAddress')
    expect(names.asked).toHaveLength(2)
    expect((await request(`http://rebind.test:${port}/`)).status).toBe(200)
    expect(names.asked).toHaveLength(3)
    expect(called).toEqual([`rebind.test:${port} at 127.0.0.1`, `rebind.test:${port} at ${other}`])
  })

  test('a name server that never answers ends in the time limit', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    cleanups.push(async () => void socket.close())
    const { code } = client({ dnsServers: [`127.0.0.1:${socket.address().port}`] })
    expect(await code('http://silent.test/', { timeoutMs: 200 })).toBe('timeout')
  })

  test('a request given up while its name was looked up is never sent', async () => {
    let calls = 0
    const port = await serve((_, response) => void response.end(String((calls += 1))))
    const { dnsServers } = await nameServer([['127.0.0.1']], 300)
    const { code, request } = client({ dnsServers })
    expect(await code(`http://slow.test:${port}/`, { timeoutMs: 100 })).toBe('timeout')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(calls).toBe(0)
    expect((await request(`http://slow.test:${port}/`)).status).toBe(200)
  })
})
