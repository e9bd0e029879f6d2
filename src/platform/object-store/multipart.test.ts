import multipart from '@fastify/multipart'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLocalObjectStore } from './local.ts'
import { isObjectStoreError } from './object-store.ts'

// The store behind a real form upload over a real socket: what happens to the connection matters here.
let dir: string
let app: FastifyInstance
let port: number
let agent: Agent
const outcomes: string[] = []

beforeEach(async () => {
  outcomes.length = 0
  agent = new Agent({ keepAlive: true })
  dir = await mkdtemp(join(tmpdir(), 'object-store-'))
  const store = await createLocalObjectStore(dir)
  app = fastify()
  await app.register(multipart, { limits: { fileSize: 10_000_000 } })
  app.post('/', async (incoming, reply) => {
    const part = await incoming.file()
    try {
      const stored = await store.put('files/a1', part!.file, {
        contentType: part!.mimetype,
        maxBytes: 1_000_000,
      })
      outcomes.push('stored')
      return await reply.send(stored)
    } catch (error) {
      const code = isObjectStoreError(error) ? error.code : 'unknown'
      outcomes.push(code)
      return reply.code(413).send({ code })
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterEach(async () => {
  agent.destroy()
  await app.close()
  await rm(dir, { recursive: true })
})

const form = (bytes: number) => {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
  return Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 7), Buffer.from('\r\n--b--\r\n')])
}
const headers = { 'content-type': 'multipart/form-data; boundary=b' }
const files = async () =>
  (await readdir(dir, { recursive: true, withFileTypes: true })).filter((e) => e.isFile())

async function upload(bytes: number): Promise<number | undefined> {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers, agent })
  sent.end(form(bytes))
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

test('an upload over the limit is answered, not hung, whatever its size', async () => {
  expect(await upload(1_000_000)).toBe(200)
  expect(await upload(1_000_001)).toBe(413)
  expect(await upload(8_000_000)).toBe(413)
  expect(await upload(12_000_000)).toBe(413)
  expect(outcomes).toEqual(['stored', 'tooLarge', 'tooLarge', 'tooLarge'])
  expect(await files()).toHaveLength(1)
}, 10_000)

test('a client that goes away in the middle leaves nothing', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${headers['content-type']}\r\nContent-Length: 900000\r\n\r\n`,
  )
  socket.write(form(900_000).subarray(0, 300_000))
  await sleep(100)
  socket.destroy()
  while (outcomes.length === 0) await sleep(10)
  expect(outcomes).toEqual(['aborted'])
  expect(await files()).toHaveLength(0)
}, 10_000)
