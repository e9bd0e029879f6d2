import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { setClock } from '../../platform/clock.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const path = '/api/v1/notification-tray/tray/seen'
const at = (time: string) => ({ lastSeenAt: time })

it('remembers until when each person has seen their tray, never going back', async () => {
  const alice = await server.as('alice')
  const never = '1970-01-01T00:00:00.000Z'
  const { createdAt: came } = (await alice.get('/api/v3/users/alice')).body.users[0]
  // What was before somebody came is not new to them; clients mark a tray whose two times are the same.
  expect((await alice.get(path)).body).toEqual({ lastTraySeenAt: came, lastTrayOccurredAt: never })
  const seen = '2024-05-01T10:00:00.000Z'
  const marked = await alice.post(path, at('2024-05-01T12:00:00.000+02:00'))
  expect([marked.status, marked.body]).toEqual([200, at(seen)])
  expect((await alice.post(path, at('2023-01-01T00:00:00.000Z'))).body).toEqual(at(seen))
  expect((await alice.get(path)).body).toEqual({ lastTraySeenAt: seen, lastTrayOccurredAt: never })
  const bob = (await (await server.as('bob')).get(path)).body
  expect(bob.lastTraySeenAt > bob.lastTrayOccurredAt && bob.lastTraySeenAt > seen).toBe(true)
})

it('takes a time to come as now', async () => {
  const carol = await server.as('carol')
  const present = Date.now()
  onTestFinished(() => setClock())
  setClock(() => present)
  const { body } = await carol.post(path, at('2999-01-01T00:00:00.000Z'))
  expect(body).toEqual(at(new Date(present).toISOString()))
})

it('ends in the latest of many times marked at once', async () => {
  const dave = await server.as('dave')
  const times = Array.from({ length: 8 }, (_, i) => `2024-05-01T10:00:0${(i * 5) % 8}.000Z`)
  await Promise.all(times.map((time) => dave.post(path, at(time))))
  expect((await dave.get(path)).body.lastTraySeenAt).toBe('2024-05-01T10:00:07.000Z')
})

it.each([{}, at('yesterday'), at(''), { lastSeenAt: 5 }])('refuses %j', async (body) => {
  const answer = await (await server.as('alice')).post(path, body)
  expect([answer.status, answer.body.code]).toEqual([422, 500000])
})
