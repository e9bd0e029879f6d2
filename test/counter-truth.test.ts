import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommunity } from './factories/communities.ts'
import { uploadPicture } from './factories/posts.ts'
import { countRows, findDrift } from './counters/recount.ts'
import { acts, createWorld, someAct, type World } from './counters/walk.ts'
import { startTestServer, type TestServer } from './harness/server.ts'
import { seededRandom } from './realtime/random.ts'

// Another walk: COUNTER_SEED=7, and a longer one: COUNTER_STEPS=100000.
const seed = Number(process.env.COUNTER_SEED ?? 20_251_121)
const steps = Number(process.env.COUNTER_STEPS ?? 2000)
/** How many act at the same time. */
const atOnce = 8

let server: TestServer
let world: World
beforeAll(async () => {
  server = await startTestServer()
  world = createWorld(server, await server.asAdmin(), seededRandom(seed))
  const names = Array.from({ length: 8 }, (_, i) => `person-${i}`)
  world.people = await Promise.all(names.map(world.signIn))
  world.leavers = await Promise.all(['leaver-a', 'leaver-b', 'leaver-c'].map(world.signIn))
  world.pictures = [await uploadPicture(world.people[0]!), await uploadPicture(world.people[1]!)]
  for (const owner of world.people.slice(0, 3)) {
    world.communities.push((await createCommunity(owner, { userIds: names.slice(3) })).communityId)
  }
  const userIds = [...names, ...world.leavers.map(({ userId }) => userId)]
  const channel = { type: 'community', channelId: world.channelId, displayName: 'Chat', userIds }
  await world.admin.post('/api/v3/channels', channel)
  for (const name of ['post', 'comment', 'story', 'poll', 'say', 'event']) {
    const act = acts.find(([one]) => one === name)![2]
    for (let i = 0; i < 4; i++) await act(world)
  }
})
afterAll(() => server.close())

it(
  `every counter equals a recount after ${steps} random steps (seed ${seed})`,
  async () => {
    const done = new Map<string, number>()
    const failures: string[] = []
    for (let step = 0; step < steps; step += atOnce) {
      // Chosen before any of them runs, so that the seed alone decides who tries what.
      const chosen = Array.from({ length: atOnce }, () => someAct(world))
      await Promise.all(
        chosen.map(async ({ name, act }) => {
          const { status, body } = await act(world)
          if (status < 300) done.set(name, (done.get(name) ?? 0) + 1)
          if (status >= 500) failures.push(`step ${step}, ${name}: ${status} ${JSON.stringify(body)}`)
        }),
      )
    }
    console.log(`counter truth, seed ${seed}: ${[...done].map(([name, n]) => `${name} ${n}`).join(', ')}`)
    expect(failures, `seed ${seed}`).toEqual([])
    expect(await findDrift(server.app.db), `seed ${seed}`).toEqual([])
    // Everything that may happen did, and left something to count.
    expect(acts.map(([name]) => name).filter((name) => !done.has(name))).toEqual([])
    for (const [table, rows] of Object.entries(await countRows(server.app.db)))
      expect(rows, table).toBeGreaterThan(0)
  },
  60_000 + steps * 60,
)

it('a counter that is off by one is found', async () => {
  const { rows } = await sql<{ id: string }>`
    update posts set comments_count = comments_count + 1
    where id = (select min(id) from posts where not is_deleted) returning id`.execute(server.app.db)
  expect(await findDrift(server.app.db)).toMatchObject([
    { counter: 'posts it.comments_count', id: rows[0]!.id },
  ])
})
