import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fetchPreview } from './preview.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import { setClock } from '../../platform/clock.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

/** The site that is linked to: answers by path, and notes who came. */
const asked: string[] = []
const page = `<title>Plain</title><meta property="og:title" content="Bees &amp; honey">
  <meta property="og:description" content="All about bees"><meta property="og:image" content="/bee.png">
  <meta property="og:video" content="/bee.mp4">`
const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/page': (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(page),
  '/moved': (_, response) => response.writeHead(302, { location: '/page' }).end(),
  '/bee.png': (_, response) => response.setHeader('content-type', 'image/png').end('x'),
  '/data.json': (_, response) => response.setHeader('content-type', 'application/json').end('{}'),
  '/broken': (request) => request.socket.destroy(),
  '/endless': (_, response) => {
    response.setHeader('content-type', 'text/html').write('<title>Endless</title>')
    const more = setInterval(() => response.write('<p>'.repeat(20_000)), 1)
    response.on('close', () => clearInterval(more))
  },
}
const site = createServer((request, response) => {
  asked.push(request.url!)
  const answer = answers[request.url!.split('?')[0]!]
  if (answer) answer(request, response)
  else response.writeHead(404).end('<title>Not here</title>')
})

let server: TestServer
let guarded: TestServer
let alice: TestClient
let origin: string
beforeAll(async () => {
  ;[server, guarded] = await Promise.all([
    startTestServer({ HUBBUB_LINK_PREVIEW_ALLOW_PRIVATE: 'true' }),
    startTestServer(),
  ])
  alice = await server.as('alice')
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})
afterAll(async () => {
  site.closeAllConnections()
  site.close()
  await Promise.all([server.close(), guarded.close()])
})
afterEach(() => setClock())

const preview = async (url: string, who = alice) => (await who.get('/api/v1/link-preview', { url })).body
const none = { title: null, description: null, image: null, imageUrl: null, video: null, domain: '127.0.0.1' }

describe('a link preview', () => {
  it('is what the page says about itself, in the words of both calls of the client', async () => {
    const bees = {
      title: 'Bees & honey',
      description: 'All about bees',
      image: `${origin}/bee.png`,
      imageUrl: `${origin}/bee.png`,
      video: `${origin}/bee.mp4`,
      domain: '127.0.0.1',
    }
    expect(await preview(`${origin}/page`)).toEqual(bees)
    expect(await preview(`${origin}/moved`)).toEqual(bees)
    const picture = await preview(`${origin}/bee.png`)
    expect(picture).toEqual({ ...none, image: `${origin}/bee.png`, imageUrl: `${origin}/bee.png` })
  })

  it('takes an address that the client did not encode, whole', async () => {
    const address = `${origin}/page?a=1&b=2`
    const { status } = await alice.get(`/api/v1/link-preview?url=${address}`)
    expect(status).toBe(200)
    expect(asked).toContain('/page?a=1&b=2')
  })

  it.each(['/nowhere', '/data.json', '/broken'])('of %s says nothing', async (path) => {
    expect(await preview(origin + path)).toEqual(none)
  })

  it('reads only the start of a page without end', async () => {
    expect(await preview(`${origin}/endless`)).toMatchObject({ title: 'Endless' })
  })

  it('is made once for all who ask within ten minutes, and once a minute where there was none', async () => {
    const bob = await server.as('bob')
    const visits = (path: string) => asked.filter((one) => one === path).length
    const ask = (path: string) => Promise.all([alice, bob].map((who) => preview(origin + path, who)))
    await ask('/page?once')
    await ask('/missing')
    expect([visits('/page?once'), visits('/missing')]).toEqual([1, 1])
    setClock(() => Date.now() + 61_000)
    await ask('/page?once')
    await ask('/missing')
    expect([visits('/page?once'), visits('/missing')]).toEqual([1, 2])
    setClock(() => Date.now() + 601_000)
    await ask('/page?once')
    expect(visits('/page?once')).toBe(2)
  })

  it.each([
    ['no address', 'ht tp://', 422],
    ['a file', 'file:///etc/passwd', 422],
    ['a script', 'javascript:alert(1)', 422],
    ['2,000 characters', `https://127.0.0.1:1/${'a'.repeat(1980)}`, 200],
    ['2,001 characters', `https://127.0.0.1:1/${'a'.repeat(1981)}`, 422],
    ['nothing', '', 422],
  ])('of %s', async (_, url, status) => {
    expect((await alice.get('/api/v1/link-preview', { url })).status).toBe(status)
  })
})

const inside = [
  '127.0.0.1',
  'localhost',
  '[::1]',
  '2130706433',
  '0x7f.1',
  '[::ffff:127.0.0.1]',
  '169.254.169.254',
]

it.each(inside)('is refused for %s, and tells nothing about it', async (host) => {
  const before = asked.length
  const url = `http://${host}:${new URL(origin).port}/page`
  expect(await preview(url, await guarded.as('carol'))).toEqual({ ...none, domain: new URL(url).hostname })
  // The same where only the address stands in the way, not the port.
  const outbound = createOutbound({ userAgent: 'Test/1', allowPrivate: false })
  expect(await fetchPreview(outbound, url)).toBeNull()
  await outbound.close(0)
  expect(asked.length).toBe(before)
})
