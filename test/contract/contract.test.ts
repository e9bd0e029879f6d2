import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { createClient } from '../harness/client.ts'
import { readFlv, sendTags } from '../media/clips.ts'
import { connectRtmp } from '../media/rtmp-client.ts'
import { apiKey, apiSecret, startLiveKitApi, type LiveKitApi } from '../stage/livekit-server.ts'
import { areas, operations, routeKey } from './facts.ts'
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
import { differences, limitsElsewhere, pending, refused } from './exceptions.ts'

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

  it.each(refused)('$id is refused: $why', async ({ id, status }) => {
    const [method, path] = id.split(' ') as [string, string]
    const answer = await world.alice.send(method, path.replace(/\{[^}]*\}/, 'anything'))
    expect(answer.status).toBe(status)
    expect(answer.body.status).toBe('error')
  })
})

describe('the walk', () => {
  it.each(areas)('reached every operation of %s', (area) => {
    const all = operations.filter((operation) => operation.area === area)
    const left = new Set([...pending, ...refused.map(({ id }) => id)])
    const missing = all.filter(({ id }) => !recording.samples.has(id) && !left.has(id)).map(({ id }) => id)
    const waiting = all.filter(({ id }) => left.has(id)).length
    const reached = all.length - missing.length - waiting
    console.log(
      `${area}: ${reached} of ${all.length}${waiting > 0 ? ` (${waiting} can only refuse or have no route yet)` : ''}`,
    )
    expect(missing).toEqual([])
  })

  it('met the facts in every answer', () => {
    const problems = [...new Set(recording.problems)]
    expect(problems.filter((problem) => !differences.some((one) => one.problem.test(problem)))).toEqual([])
    expect(differences.filter((one) => !problems.some((problem) => one.problem.test(problem)))).toEqual([])
  })

  it('leaves nothing open that has a route', async () => {
    const served = await servedOperations(server)
    const known = new Set(operations.map(({ id }) => id))
    expect(pending.filter((id) => !known.has(id) || served.has(routeKey(id)))).toEqual([])
    expect([...refused, ...differences].filter(({ until }) => until && served.has(routeKey(until)))).toEqual(
      [],
    )
  })
})

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
      console.log(`limits of ${area}: ${findings.length - wrong.length} of ${findings.length}`)
      expect(unexplained.map(({ limit, problem }) => `${limit}: ${problem}`)).toEqual([])
    },
    120_000,
  )

  it('are explained only where they differ', () => {
    expect(limitsElsewhere.filter(({ limit }) => !needed.has(limit))).toEqual([])
  })
})

async function servedOperations({ url }: TestServer): Promise<Set<string>> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  return new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => routeKey(`${method.toUpperCase()} ${path}`)),
    ),
  )
}
