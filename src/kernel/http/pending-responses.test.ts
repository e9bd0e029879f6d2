import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPendingResponses } from './pending-responses.ts'

const server = createServer()
let url: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const long = 60_000
const isOpen = Symbol('open')
const stateOf = (promise: Promise<unknown>) => Promise.race([promise, Promise.resolve(isOpen)])

async function ask(signal?: AbortSignal): Promise<ServerResponse> {
  const asked = once(server, 'request')
  fetch(url, signal && { signal }).catch(() => undefined)
  return ((await asked) as [unknown, ServerResponse])[1]
}

it('waits for what is pending at the call, and for nothing else', async () => {
  const responses = createPendingResponses()
  expect(await responses.sent(long)).toBeUndefined()
  const [one, another] = [await ask(), await ask()]
  responses.add(one)
  const sent = responses.sent(long)
  responses.add(another)
  expect(await stateOf(sent)).toBe(isOpen)
  one.end()
  await sent
  expect(await stateOf(responses.sent(long))).toBe(isOpen)
  another.end()
  await responses.sent(long)
})

it('does not wait for clients that are gone, nor longer than it is told', async () => {
  const responses = createPendingResponses()
  const leaving = new AbortController()
  responses.add(await ask(leaving.signal))
  await responses.sent(1)
  leaving.abort()
  await responses.sent(long)
})
