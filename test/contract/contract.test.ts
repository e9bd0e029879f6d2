import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { createClient } from '../harness/client.ts'
import { readFlv, sendTags } from '../media/clips.ts'
import { connectRtmp } from '../media/rtmp-client.ts'
import { apiKey, apiSecret, startLiveKitApi, type LiveKitApi } from '../stage/livekit-server.ts'
import { areas, operations } from './facts.ts'
import { tryLimits, type Finding } from './limits.ts'
import { keyed, record, type Recording } from './recorder.ts'
import * as administration from './scenarios/administration.ts'
import * as channels from './scenarios/channels.ts'
import * as comments from './scenarios/comments.ts'
import * as communities from './scenarios/communities.ts'
import * as events from './scenarios/events.ts'
import * as files from './scenarios/files.ts'
import * as messages from './scenarios/messages.ts'
import * as posts from './scenarios/posts.ts'
import * as rooms from './scenarios/rooms.ts'
import * as users from './scenarios/users.ts'
import * as stories from './scenarios/stories.ts'
import * as streams from './scenarios/streams.ts'
import type { Scenario, World } from './scenarios/world.ts'
import { tryTokens } from './tokens.ts'
import { differences, limitsElsewhere, refused } from './exceptions.ts'

const scenarios: Record<string, Scenario> = {
  ...users,
  ...communities,
  ...posts,
  ...comments,
  ...administration,
  ...events,
  ...stories,
  ...streams,
  ...files,
  ...channels,
  ...messages,
  ...rooms,
}

let liveKit: LiveKitApi
let server: TestServer
let world: World
const recording: Recording = { samples: new Map(), problems: [] }

beforeAll(async () => {
  liveKit = await startLiveKitApi()
  server = await startTestServer({
    LIVEKIT_URL: liveKit.url,
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
  })
  const newcomer = async (userId: string) =>
    record(await createClient(server.url, server.apiKey, userId), recording)
  const [alice, bob, carol] = await Promise.all([newcomer('alice'), newcomer('bob'), newcomer('carol')])
  world = {
    async broadcast(url) {
      const { port, pathname, search } = new URL(url)
      const encoder = await connectRtmp(Number(port))
      await encoder.publish(pathname.replace('/live/', '') + search)
      sendTags(encoder, await readFlv('test/fixtures/media/clip.flv'))
    },
    ...{ alice, bob, carol, newcomer },
    admin: record(await server.asAdmin(), recording),
    withApiKey: keyed(server, { 'x-api-key': server.apiKey }, recording),
    withServerKey: keyed(server, { 'x-server-key': [...server.app.network.serverKeys][0]! }, recording),
  }
})
afterAll(async () => {
  await server.close()
  await liveKit.close()
})

describe('every operation, with realistic input', () => {
  it.each(Object.keys(scenarios))('%s', async (name) => {
    await scenarios[name]!(world)
  })

  it.each(refused)('$id is refused: $why', async ({ id, status, code }) => {
    const [method, path] = id.split(' ') as [string, string]
    const answer = await world.alice.send(method, path.replace(/\{[^}]*\}/, 'anything'))
    expect(answer).toMatchObject({ status, body: { status: 'error', code, message: expect.any(String) } })
  })
})

describe('the walk', () => {
  it.each(areas)('reached every operation of %s', (area) => {
    const all = operations.filter((operation) => operation.area === area)
    const refusing = refused.filter(({ id }) => all.some((operation) => operation.id === id))
    const met = (id: string) => recording.samples.has(id) || refusing.some((one) => one.id === id)
    const missing = all.filter(({ id }) => !met(id)).map(({ id }) => id)
    const notes = refusing.map(({ id, why }) => `, of them only to be refused: ${id} (${why})`)
    console.log(`${area}: ${all.length - missing.length} of ${all.length}${notes.join('')}`)
    expect(missing).toEqual([])
    expect(refusing.filter(({ id }) => recording.samples.has(id))).toEqual([])
  })

  it('met the facts in every answer', () => {
    const problems = [...new Set(recording.problems)]
    expect(problems.filter((problem) => !differences.some((one) => one.problem.test(problem)))).toEqual([])
    expect(differences.filter((one) => !problems.some((problem) => one.problem.test(problem)))).toEqual([])
  })
})

it('no forged page token is more than refused', async () => {
  const problems: string[] = []
  let paged = 0
  for (const [id, sample] of recording.samples) {
    const found = sample.method === 'GET' ? await tryTokens(sample) : null
    if (!found) continue
    paged++
    problems.push(...found.map((problem) => `${id} ${problem}`))
  }
  console.log(`forged page tokens: ${paged} operations with pages`)
  expect(problems).toEqual([])
}, 120_000)

describe('limits', () => {
  const needed = new Set<RegExp>()

  it.each(areas)(
    'of %s hold at the bound and one past it',
    async (area) => {
      const findings: Finding[] = []
      for (const operation of operations) {
        const sample = recording.samples.get(operation.id)
        if (operation.area === area && sample) findings.push(...(await tryLimits(operation, sample)))
      }
      const wrong = findings.filter(({ problem }) => problem)
      const unexplained = wrong.filter((finding) => {
        const reason = limitsElsewhere.find((one) => one.limit.test(finding.limit))
        if (reason) needed.add(reason.limit)
        return !reason
      })
      console.log(
        `limits of ${area}: ${findings.length - wrong.length} of ${findings.length} as documented, ${wrong.length} otherwise with a reason`,
      )
      expect(unexplained.map(({ limit, problem }) => `${limit}: ${problem}`)).toEqual([])
    },
    120_000,
  )

  it('are explained only where they differ', () => {
    expect(limitsElsewhere.filter(({ limit }) => !needed.has(limit))).toEqual([])
  })
})
