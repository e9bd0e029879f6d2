import { connect } from 'node:net'
import { Agent, request as httpRequest } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setClock } from '../src/platform/clock.ts'
import { recordFile } from './factories/files.ts'
import type { TestAnswer, TestClient } from './harness/client.ts'
import { startTestServer, type TestServer } from './harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
/** Objects of alice's, named in the tables below as `{post}` and so on. */
const ids: Record<string, string> = {}

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  ids.community = (
    await alice.post('/api/v3/communities', { displayName: 'Cats' })
  ).body.communities[0].communityId
  ids.secret = (
    await alice.post('/api/v3/communities', { displayName: 'Secret', isPublic: false })
  ).body.communities[0].communityId
  ids.secretPost = (
    await alice.post('/api/v4/posts', {
      targetType: 'community',
      targetId: ids.secret,
      data: { text: 'hidden' },
    })
  ).body.posts[0].postId
  ids.post = (await alice.post('/api/v4/posts', { data: { text: 'mine' } })).body.posts[0].postId
  ids.comment = (
    await alice.post('/api/v3/comments', { ...onPost(ids.post!), commentId: 'first', data: { text: 'c' } })
  ).body.comments[0].commentId
  ids.channel = (
    await alice.post('/api/v3/channels', { type: 'community', channelId: 'chan', displayName: 'Chan' })
  ).body.channels[0].channelId
})
afterAll(() => server.close())

const onPost = (referenceId: string) => ({ referenceType: 'post', referenceId })

/** Rows that a refused request must not have changed in number. */
async function countAll(): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*)::int from users) as users, (select count(*)::int from communities) as communities,
    (select count(*)::int from posts) as posts, (select count(*)::int from comments) as comments,
    (select count(*)::int from channels) as channels, (select count(*)::int from messages) as messages,
    (select count(*)::int from outbox_events) as events`.execute(server.app.db)
  return rows[0]!
}

/** Runs a request that must be refused: envelope, status, code, nothing written, and the next request works. */
async function refused(run: () => Promise<TestAnswer>, status: number, code: number): Promise<void> {
  const before = await countAll()
  const answer = await run()
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code })
  expect(answer.body).toMatchObject({ status: 'error', message: expect.stringMatching(/\w/) })
  expect(answer.headers.get('x-request-id')).toBeTruthy()
  expect(await countAll()).toEqual(before)
  expect((await bob.get('/api/v3/sessions')).status).toBe(200)
}

const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole)

type Row = [what: string, method: string, path: string, body: unknown, status: number, code: number]
const unknownId = 'f'.repeat(24)
const long = (n: number) => 'x'.repeat(n)

const rows: Row[] = [
  // Wrong types and shapes
  ['a number for text', 'POST', '/api/v4/posts', { data: { text: 7 } }, 422, 500000],
  ['a string for an object', 'POST', '/api/v4/posts', { data: 'hello' }, 422, 500000],
  ['an array as body', 'POST', '/api/v4/posts', [1], 422, 500000],
  ['a number as body', 'POST', '/api/v4/posts', 5, 422, 500000],
  ['null as body of a required one', 'POST', '/api/v3/comments', null, 422, 500000],
  ['an object for tags', 'POST', '/api/v4/posts', { data: { text: 'a' }, tags: {} }, 422, 500000],
  ['a string for a boolean', 'POST', '/api/v3/communities', { displayName: 'x', isPublic: 'yes' }, 422, 500000],
  ['a string for metadata', 'PUT', '/api/v3/users', { metadata: 'x' }, 422, 500000],
  ['a number for a user id', 'POST', '/api/v5/sessions', { userId: 7, deviceId: 'd' }, 422, 500000],
  ['a limit that is no number', 'GET', '/api/v3/users?options[limit]=many', undefined, 422, 500000],
  ['a limit of 101', 'GET', '/api/v3/users?options[limit]=101', undefined, 422, 500000],
  ['a negative limit', 'GET', '/api/v3/users?options[limit]=-1', undefined, 422, 500000],
  ['an object for a filter', 'GET', '/api/v3/users?filter[a]=b', undefined, 422, 500000],
  ['no required member', 'POST', '/api/v3/comments', { data: { text: 'x' } }, 422, 500000],
  // Too long
  ['a user name of 101', 'PUT', '/api/v3/users', { displayName: long(101) }, 422, 500000],
  ['a description of 501', 'PUT', '/api/v3/users', { description: long(501) }, 422, 500000],
  ['metadata over 5,000 bytes', 'PUT', '/api/v3/users', { metadata: { a: long(5000) } }, 422, 500000],
  ['a channel id of 101', 'POST', '/api/v3/channels', { type: 'community', channelId: long(101) }, 422, 500000],
  ['a keyword of 101', 'GET', `/api/v3/users?keyword=${long(101)}`, undefined, 422, 500000],
  ['101 ids', 'GET', `/api/v3/users/list?${Array.from({ length: 101 }, (_, i) => `userIds[]=u${i}`).join('&')}`, undefined, 422, 500000],
  // Unknown words
  ['an unknown target', 'POST', '/api/v4/posts', { targetType: 'moon', data: { text: 'a' } }, 422, 500000],
  ['an unknown channel type', 'POST', '/api/v3/channels', { type: 'telepathy' }, 422, 500000],
  ['an unknown filter', 'GET', '/api/v3/users?filter=handsome', undefined, 422, 500000],
  ['an unknown order', 'GET', '/api/v3/users?sortBy=height', undefined, 422, 500000],
  ['an unknown reference', 'POST', '/api/v3/comments', { referenceType: 'moon', referenceId: 'x', data: { text: 'x' } }, 422, 500000],
  // Page tokens of our form and not
  ['a token that is rubbish', 'GET', '/api/v3/users?options[token]=rubbish', undefined, 400, 400000],
  ['a token of another list', 'GET', `/api/v3/users?sortBy=lastCreated&options[token]=${Buffer.from('{"limit":5,"after":["x","y","z"]}').toString('base64')}`, undefined, 400, 400000],
  // Objects that are not there, or not for bob
  ['an unknown user', 'GET', '/api/v3/users/nobody', undefined, 404, 400400],
  ['an unknown post', 'GET', `/api/v3/posts/${unknownId}`, undefined, 404, 400400],
  ['an id of another form', 'GET', '/api/v3/posts/no-such-form', undefined, 404, 400400],
  ['a hidden post', 'GET', '/api/v3/posts/{secretPost}', undefined, 404, 400400],
  ['a comment on a hidden post', 'POST', '/api/v3/comments', { referenceType: 'post', referenceId: '{secretPost}', data: { text: 'x' } }, 404, 400400],
  ['a post in a hidden community', 'POST', '/api/v4/posts', { targetType: 'community', targetId: '{secret}', data: { text: 'x' } }, 404, 400400],
  ['a message in an unknown feed', 'POST', '/api/v5/messages', { messageFeedId: unknownId, dataType: 'text', data: { text: 'x' } }, 404, 400400],
  ['an unknown file', 'PUT', '/api/v3/users', { avatarFileId: unknownId }, 404, 400400],
  ["another's profile", 'PUT', '/api/v3/users', { userId: 'alice', displayName: 'Hacked' }, 403, 400301],
  ["another's post", 'DELETE', '/api/v3/posts/{post}', undefined, 403, 400301],
  ["another's community", 'DELETE', '/api/v3/communities/{community}', undefined, 403, 400301],
  ['roles for oneself', 'PUT', '/api/v3/users', { roles: ['global-admin'] }, 403, 400301],
  // Characters that text cannot hold
  ['a NUL in a name', 'PUT', '/api/v3/users', { displayName: 'a\0b' }, 422, 500000],
  ['a NUL in a post', 'POST', '/api/v4/posts', { data: { text: 'a\0b' } }, 422, 500000],
  ['a NUL in a key of metadata', 'PUT', '/api/v3/users', { metadata: { 'a\0b': 1 } }, 422, 500000],
  ['a lone surrogate', 'POST', '/api/v4/posts', { data: { text: 'a\ud800b' } }, 422, 500000],
  ['a NUL in a query', 'GET', '/api/v3/users?keyword=a%00b', undefined, 422, 500000],
  ['a NUL in an id list', 'GET', '/api/v3/users/list?userIds[]=a%00b', undefined, 422, 500000],
  ['a NUL in a path', 'GET', '/api/v3/users/a%00b', undefined, 422, 500000],
  ['a broken escape in a path', 'GET', '/api/v3/users/%E0%A4%A', undefined, 400, 400000],
  ['a prototype in a body', 'PUT', '/api/v3/users', '{"metadata":{"__proto__":{"a":1}}}', 400, 400000],
  // Ids of the client's that are taken
  ['a taken comment id', 'POST', '/api/v3/comments', { referenceType: 'post', referenceId: '{post}', commentId: 'first', data: { text: 'again' } }, 409, 400315],
  ['a taken channel id', 'POST', '/api/v3/channels', { type: 'community', channelId: 'chan' }, 409, 400315],
  // Operations that are none
  ['an unknown operation', 'GET', '/api/v9/nothing', undefined, 404, 400400],
  ['an operation of another method', 'PUT', '/api/v4/posts', {}, 404, 400400],
] // prettier-ignore

describe('bad input gets the error envelope, changes nothing and leaves the connection usable', () => {
  it.each(rows)('%s', async (_what, method, path, body, status, code) => {
    const headers: Record<string, string> = {
      'x-api-key': server.apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const text = typeof body === 'string' && body.startsWith('{"') ? body : fill(JSON.stringify(body ?? null))
    const run = () => bob.send(method, fill(path), { headers, ...(body !== undefined && { body: text }) })
    await refused(run, status, code)
  })

  it.each(['{"data":{"text":"x"}', '{,}', 'data=1', '\u{1f600}'])('malformed JSON: %s', (body) =>
    refused(
      () => bob.send('POST', '/api/v4/posts', { headers: { 'content-type': 'application/json' }, body }),
      400,
      400000,
    ),
  )

  it('an avatar that is no picture', async () => {
    const fileId = await recordFile(server, alice, 'file')
    const admin = await server.asAdmin()
    const body = { displayName: 'x', name: 'x', type: 'community', userIds: ['bob'], avatarFileId: fileId }
    for (const [client, method, path] of [
      [alice, 'put', '/api/v3/users'],
      [alice, 'post', '/api/v3/channels'],
      [alice, 'post', '/api/v3/channels/conversation'],
      [alice, 'put', '/api/v3/channels/{channel}'],
      [alice, 'post', '/api/v3/communities'],
      [alice, 'put', '/api/v3/communities/{community}'],
      [admin, 'post', '/api/v3/community-categories'],
    ] as const)
      await refused(() => client[method](fill(path), body), 400, 400000)
  })

  it('a content type that is not taken', () =>
    refused(
      () => bob.send('POST', '/api/v4/posts', { headers: { 'content-type': 'text/xml' }, body: '<a/>' }),
      415,
      400000,
    ))

  it.each([
    ['missing', {}],
    ['wrong', { authorization: 'Bearer wrong' }],
  ])('a %s token on every kind of operation', async (_name, headers) => {
    for (const [method, path] of [
      ['GET', '/api/v3/users'],
      ['GET', `/api/v3/posts/${ids.post}`],
      ['POST', '/api/v4/posts'],
      ['PUT', '/api/v3/users'],
      ['DELETE', `/api/v3/posts/${ids.post}`],
    ] as const) {
      const before = await countAll()
      const answer = await fetch(server.url + path, { method, headers })
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ status: 'error', code: 400100 })
      expect(await countAll()).toEqual(before)
    }
  })

  it('an expired token', async () => {
    setClock(() => Date.now() + 40 * 86_400_000)
    try {
      const answer = await bob.get('/api/v3/users')
      expect(answer).toMatchObject({ status: 401, body: { status: 'error', code: 400100 } })
    } finally {
      setClock()
    }
  })

  it('a taken message id: the message is there once', async () => {
    const message = { channelId: ids.channel, messageId: 'taken', type: 'text', data: { text: 'once' } }
    expect((await alice.post('/api/v3/messages', message)).status).toBe(200)
    const before = (await countAll()).messages
    const answers = await Promise.all([
      alice.post('/api/v3/messages', message),
      alice.post('/api/v3/messages', { ...message, data: { text: 'other' } }),
    ])
    for (const answer of answers) expect([200, 409]).toContain(answer.status)
    expect((await countAll()).messages).toBe(before)
  })

  it('one id for eight comments at once: one is written', async () => {
    const body = { ...onPost(ids.post!), commentId: 'race', data: { text: 'r' } }
    const answers = await Promise.all(Array.from({ length: 8 }, () => alice.post('/api/v3/comments', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  })
})

describe('a connection', () => {
  const url = () => new URL(server.url)

  it('is usable after a body of 50 MB was refused', async () => {
    const before = await countAll()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const post = (body: Buffer) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const request = httpRequest(
          {
            agent,
            host: url().hostname,
            port: url().port,
            path: '/api/v4/posts',
            method: 'POST',
            headers: {
              authorization: `Bearer ${alice.accessToken}`,
              'content-type': 'application/json',
              'content-length': body.length,
            },
          },
          (response) => {
            let text = ''
            response.on('data', (chunk: Buffer) => (text += chunk.toString()))
            response.on('end', () => resolve({ status: response.statusCode!, text }))
          },
        )
        // The server may answer and close before all was sent; the answer is what counts.
        request.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
        })
        request.end(body)
      })
    try {
      const big = Buffer.from(JSON.stringify({ data: { text: long(50_000_000) } }))
      const answer = await post(big)
      expect(answer.status).toBe(413)
      expect(JSON.parse(answer.text)).toMatchObject({ status: 'error', code: 500000 })
      const small = await post(Buffer.from('{"data":{"text":"still here"}}'))
      expect(small.status).toBe(200)
      expect((await countAll()).posts).toBe(before.posts! + 1)
    } finally {
      agent.destroy()
    }
  })

  it('that speaks something other than HTTP gets 400, and others go on', async () => {
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect({ host: url().hostname, port: Number(url().port) }, () =>
        socket.write('\x16\x03\x01\x02\x00garbage\r\n\r\n'),
      )
      socket.on('data', (chunk) => (text += chunk.toString()))
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
    })
    expect(answer).toContain('400 Bad Request')
    expect((await alice.get('/api/v3/sessions')).status).toBe(200)
  })
})
