import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { client, listen, nameServer, serve } from '../../../test/loopback.ts'

describe('requests', () => {
  test('method, headers and body go out; status, headers and body come back', async () => {
    const port = await serve((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        response.writeHead(418, {
          'x-seen': `${request.method} ${request.url} ${request.headers['user-agent']}`,
        })
        response.end(Buffer.concat([Buffer.from(`${String(request.headers['x-a'])}:`), ...chunks]))
      })
    })
    const { request } = client()
    const answer = await request(`http://127.0.0.1:${port}/p?q=1#f`, {
      method: 'POST',
      headers: { 'X-A': 'b' },
      body: 'hello',
    })
    expect(answer).toMatchObject({ status: 418, truncated: false, url: `http://127.0.0.1:${port}/p?q=1#f` })
    expect(answer.headers['x-seen']).toBe('POST /p?q=1 Test/1')
    expect(answer.body.toString()).toBe('b:hello')
    expect(answer.durationMs).toBeGreaterThan(0)
    expect(answer.durationMs).toBeLessThan(5000)
  })

  test('encoded bodies are decoded, and bounded after decoding', async () => {
    const text = 'x'.repeat(90_000)
    const bodies: Record<string, Buffer> = {
      gzip: gzipSync(text),
      deflate: deflateSync(text),
      br: brotliCompressSync(text),
      bomb: gzipSync(Buffer.alloc(50_000_000)),
      broken: Buffer.from('not gzip'),
    }
    const port = await serve((request, response) => {
      const name = (request.url ?? '').slice(1)
      const encoding = name === 'bomb' || name === 'broken' ? 'gzip' : name
      response.writeHead(200, { 'content-encoding': encoding }).end(bodies[name])
    })
    const { request, code } = client()
    for (const name of ['gzip', 'deflate', 'br']) {
      expect((await request(`http://127.0.0.1:${port}/${name}`)).body.toString()).toBe(text)
    }
    expect(await code(`http://127.0.0.1:${port}/bomb`)).toBe('tooLarge')
    expect(await code(`http://127.0.0.1:${port}/broken`)).toBe('badResponse')
    expect((await request(`http://127.0.0.1:${port}/gzip`, { method: 'HEAD' })).body.length).toBe(0)
  })

  test('the size limit is inclusive; beyond it an error or a cut', async () => {
    const port = await serve((request, response) => {
      // Chunked, so that no length announces it.
      response.write('a'.repeat(60_000))
      response.end('b'.repeat(Number((request.url ?? '').slice(1)) - 60_000))
    })
    const { request, code } = client()
    expect((await request(`http://127.0.0.1:${port}/100000`)).body.length).toBe(100_000)
    expect(await code(`http://127.0.0.1:${port}/100001`)).toBe('tooLarge')
    const cut = await request(`http://127.0.0.1:${port}/900000`, { truncate: true })
    expect([cut.body.length, cut.truncated]).toEqual([100_000, true])
    const huge = await serve((_, response) => response.writeHead(200, { 'x-a': 'a'.repeat(20_000) }).end())
    expect(await code(`http://127.0.0.1:${huge}/`)).toBe('tooLarge')
  })

  test('one time limit for silence, slow headers and slow drips', async () => {
    const silent = await listen(createTcpServer(() => undefined))
    const drip = await serve((_, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const { code } = client()
    const start = performance.now()
    expect(await code(`http://127.0.0.1:${silent}/`, { timeoutMs: 200 })).toBe('timeout')
    expect(await code(`https://127.0.0.1:${silent}/`, { timeoutMs: 200 })).toBe('timeout')
    expect(await code(`http://127.0.0.1:${drip}/`, { timeoutMs: 200 })).toBe('timeout')
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  test('broken connections and answers', async () => {
    const closed = await listen(createTcpServer((socket) => socket.destroy()))
    const garbage = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')))
    const short = await listen(
      createTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')),
    )
    const gone = createTcpServer()
    gone.listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port } = gone.address() as AddressInfo
    gone.close()
    const { code } = client()
    expect(await code(`http://127.0.0.1:${port}/`)).toBe('connectFailure')
    expect(await code(`http://127.0.0.1:${closed}/`)).toBe('connectFailure')
    expect(await code(`http://127.0.0.1:${garbage}/`)).toBe('badResponse')
    expect(['connectFailure', 'badResponse']).toContain(await code(`http://127.0.0.1:${short}/`))
  })

  test('connections are reused, and at most so many are open to one origin', async () => {
    let open = 0
    let most = 0
    const server = createServer((_, response) => void setTimeout(() => response.end('x'), 20))
    server.on('connection', (socket) => {
      most = Math.max(most, (open += 1))
      socket.on('close', () => (open -= 1))
    })
    const port = await listen(server)
    const { request } = client({ perOrigin: 3 })
    const answers = await Promise.all(Array.from({ length: 30 }, () => request(`http://127.0.0.1:${port}/`)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(most).toBe(3)
  })

  test('a slow origin does not hold up another', async () => {
    const slow = await serve(() => undefined)
    const fast = await serve((_, response) => void response.end('fast'))
    const { request, code } = client({ concurrent: 4, perOrigin: 2 })
    const stuck = Array.from({ length: 20 }, () => code(`http://127.0.0.1:${slow}/`, { timeoutMs: 1000 }))
    expect((await request(`http://127.0.0.1:${fast}/`, { timeoutMs: 500 })).body.toString()).toBe('fast')
    expect(new Set(await Promise.all(stuck))).toEqual(new Set(['timeout']))
  })

  test('aborted by the caller, before or during; closed', async () => {
    const port = await serve(() => undefined)
    const { outbound, code } = client()
    const control = new AbortController()
    setTimeout(() => control.abort(), 50)
    expect(await code(`http://127.0.0.1:${port}/`, { signal: control.signal })).toBe('aborted')
    expect(await code(`http://127.0.0.1:${port}/`, { signal: control.signal })).toBe('aborted')
    const pending = code(`http://127.0.0.1:${port}/`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await outbound.close(50)
    expect(await pending).toBe('aborted')
    expect(await code(`http://127.0.0.1:${port}/`)).toBe('aborted')
  })
})

describe('URLs and headers', () => {
  test.each([
    ['', 'badUrl'],
    ['/path', 'badUrl'],
    ['example.com', 'badUrl'],
    ['ftp://example.com/', 'badUrl'],
    ['file:///etc/passwd', 'badUrl'],
    ['data:text/html,x', 'badUrl'],
    ['http://user:secret@example.com/', 'badUrl'],
    ['http://user@127.0.0.1/', 'badUrl'],
    ['http://exa mple.com/', 'badUrl'],
    ['http://1.2.3.4.5/', 'badUrl'],
    ['http://example.com:22/', 'badUrl'],
    ['http://no-such-name.invalid/', 'dnsFailure'],
  ])('%s', async (url, expected) => {
    expect(await client({ ports: [80, 443] }).code(url)).toBe(expected)
  })

  test('very long URLs are refused', async () => {
    expect(await client().code(`http://127.0.0.1/${'a'.repeat(4096)}`)).toBe('badUrl')
  })

  test('headers that frame the message or break out of it are refused', async () => {
    const { code } = client()
    const refused: Record<string, string>[] = [
      { host: 'x' },
      { 'Transfer-Encoding': 'chunked' },
      { 'x-a': 'b\r\nx-c: d' },
      { 'a b': 'c' },
    ]
    for (const headers of refused) {
      expect(await code('http://127.0.0.1/', { headers })).toBe('badRequest')
    }
    expect(await code('http://127.0.0.1/', { method: 'CONNECT' as never })).toBe('badRequest')
  })
})

describe('redirects', () => {
  test('are answers unless followed, and followed only so often', async () => {
    const port = await serve((request, response) => {
      const step = Number((request.url ?? '').slice(1))
      if (step === 0) response.end('end')
      else response.writeHead(302, { location: `/${step - 1}` }).end('x'.repeat(200_000))
    })
    const { request } = client()
    expect(await request(`http://127.0.0.1:${port}/1`)).toMatchObject({ status: 302 })
    const followed = await request(`http://127.0.0.1:${port}/3`, { followRedirects: 3 })
    expect(followed).toMatchObject({ status: 200, url: `http://127.0.0.1:${port}/0` })
    expect((await request(`http://127.0.0.1:${port}/4`, { followRedirects: 3 })).status).toBe(302)
  })

  test('each target is checked again', async () => {
    let calls = 0
    const inner = await serve((_, response) => void response.end(String((calls += 1))))
    const targets = [
      `http://0.0.0.0:${inner}/`,
      `http://0:${inner}/`,
      'file:///etc/passwd',
      'http://a:b@127.0.0.1/',
    ]
    const outer = await serve((request, response) => {
      response.writeHead(307, { location: targets[Number((request.url ?? '').slice(1))] }).end()
    })
    const { code } = client()
    const codes = await Promise.all(
      targets.map((_, i) => code(`http://127.0.0.1:${outer}/${i}`, { followRedirects: 1 })),
    )
    expect(codes).toEqual(['forbiddenAddress', 'forbiddenAddress', 'badUrl', 'badUrl'])
    expect(calls).toBe(0)
  })

  test('secrets stay with their origin; a body is repeated only on 307 and 308', async () => {
    const seen: string[] = []
    const note: RequestListener = (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { authorization = '-', 'x-a': other = '-', 'content-type': type = '-' } = request.headers
        seen.push(
          `${request.method} ${authorization} ${String(other)} ${type} ${Buffer.concat(chunks).toString()}`,
        )
        response.end()
      })
    }
    const target = await serve(note)
    const from = await serve((request, response) => {
      const [, status, where] = (request.url ?? '').split('/')
      if (where === 'same') return note(request, response)
      const location = where === 'away' ? `http://127.0.0.1:${target}/` : `/200/same`
      return response.writeHead(Number(status), { location }).end()
    })
    const { request } = client()
    for (const path of ['307/away', '302/away', '308/home', '303/home']) {
      const headers = { Authorization: 'key', 'X-A': 'b', 'Content-Type': 'text/plain' }
      await request(`http://127.0.0.1:${from}/${path}`, {
        method: 'POST',
        headers,
        body: 'hi',
        followRedirects: 1,
      })
    }
    expect(seen).toEqual(['POST - b text/plain hi', 'GET - b - ', 'POST key b text/plain hi', 'GET key b - '])
  })
})

describe('TLS', () => {
  const fixture = (name: string) =>
    readFileSync(new URL(`../../../test/fixtures/tls/${name}`, import.meta.url), 'utf8')
  const ca = fixture('certificate.pem')
  const secure = () =>
    listen(createTlsServer({ cert: ca, key: fixture('key.pem') }, (_, response) => response.end('secure')))

  test('a trusted certificate for the name is needed, whatever address the name leads to', async () => {
    const port = await secure()
    const { dnsServers } = await nameServer([['127.0.0.1']])
    const trusting = client({ dnsServers, ca })
    expect((await trusting.request(`https://hooks.test:${port}/`)).body.toString()).toBe('secure')
    expect((await trusting.request(`https://127.0.0.1:${port}/`)).body.toString()).toBe('secure')
    expect(await trusting.code(`https://other.test:${port}/`)).toBe('tlsFailure')
    expect(await client({ dnsServers }).code(`https://hooks.test:${port}/`)).toBe('tlsFailure')
  })

  test('no TLS on the other side', async () => {
    const port = await serve((_, response) => void response.end('plain'))
    expect(await client().code(`https://127.0.0.1:${port}/`)).toBe('tlsFailure')
    expect(['badResponse', 'connectFailure']).toContain(
      await client().code(`http://127.0.0.1:${await secure()}/`),
    )
  })
})
