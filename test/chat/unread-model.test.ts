import { afterEach, expect, test } from 'vitest'
import { setClock } from '../../src/platform/clock.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { seededRandom } from '../realtime/random.ts'
import { toQueryString, type TestClient } from '../harness/client.ts'
import { checks, checkEverything } from './unread-checks.ts'
import { actions } from './unread-walk.ts'
import { addChannel, pick, type Walker, type World } from './unread-world.ts'

/**
 * A seeded random walk of people through channels, beside a model that says what is unread in the plainest way. After
 * every step one person looks at one channel as one kind of client does, and must see what the model says; now and
 * then everybody looks at everything. Longer walks: `UNREAD_STEPS=20000 UNREAD_SEED=7 UNREAD_PIECES=10`.
 */
const steps = Number(process.env.UNREAD_STEPS ?? 3000)
const firstSeed = Number(process.env.UNREAD_SEED ?? 1)
const pieces = Number(process.env.UNREAD_PIECES ?? 1)
const people = ['ann', 'bea', 'cal', 'dov', 'eli', 'fay', 'gus']
const stepMs = 50
const checkEverythingEvery = 500

let server: TestServer | undefined
afterEach(async () => {
  setClock()
  await server?.close()
})

test.each(Array.from({ length: pieces }, (_, i) => firstSeed + i))(
  'no count drifts over a random walk (seed %i)',
  async (seed) => {
    server = await startTestServer()
    const world = await settle(server, seed)
    const done: string[] = []
    const tally = new Map<string, number>()
    try {
      for (let step = 1; step <= steps; step++) {
        world.pass(stepMs)
        const name = nextAction(world)
        const what = await actions[name]!.act(world)
        if (what !== null) {
          tally.set(name, (tally.get(name) ?? 0) + 1)
          done.push(`${step} ${what}`)
        }
        const [channel, user] = [pick(world, world.channels)!, pick(world, world.people)!]
        await pick(world, checks)!(world, channel, user)
        if (step % checkEverythingEvery === 0 || step === steps) await checkEverything(world)
      }
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}\nafter\n${done.slice(-15).join('\n')}`, {
        cause: error,
      })
    }
    if (steps >= 3000) expect([...tally.keys()].sort()).toEqual(Object.keys(actions).sort())
  },
  60_000 + steps * 200,
)

async function settle({ app, as }: TestServer, seed: number): Promise<World> {
  let time = Date.now()
  setClock(() => time)
  const moderator = 'admin'
  const clients = new Map(
    await Promise.all(
      [moderator, ...people].map(async (user) => [user, createInjector(app, await as(user))] as const),
    ),
  )
  const world: World = {
    people,
    moderator,
    channels: [],
    clients,
    random: seededRandom(seed),
    time: () => time,
    pass: (ms) => void (time += ms),
  }
  for (const type of ['community', 'community', 'community', 'broadcast', 'live'] as const)
    await addChannel(world, type)
  await addChannel(world, 'conversation')
  await addChannel(world, 'conversation')
  return world
}

/** Requests of a user without a socket, which is not what is tested here. */
function createInjector({ http }: TestServer['app'], { accessToken }: TestClient): Walker {
  const headers = { authorization: `Bearer ${accessToken}` }
  const inject = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
    const answer = await http.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, body: answer.json() as unknown }
  }
  return {
    get: (path, query) => inject('GET', query ? `${path}?${toQueryString(query)}` : path),
    post: (path, body) => inject('POST', path, body),
    put: (path, body) => inject('PUT', path, body),
    delete: (path, body) => inject('DELETE', path, body),
  }
}

const totalWeight = Object.values(actions).reduce((sum, { weight }) => sum + weight, 0)

function nextAction(world: World): string {
  let at = world.random() * totalWeight
  for (const [name, { weight }] of Object.entries(actions)) if ((at -= weight) < 0) return name
  return 'write'
}
