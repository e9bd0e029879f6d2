// Chat under load: messages a second into one channel and into 100, with and without HTTP, beside one statement that
// counts and inserts; and how long a message takes from its sending to a listener at a steady rate, beside a bare insert
// with LISTEN/NOTIFY.
// Everything on one PostgreSQL, in turns. Prints Markdown tables.
//   npm run bench -- chat [--quick]
import { get } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/index.ts'
import { load, median, type LoadRequest } from './api/load.ts'
import { signIn, startHubbub } from './api/servers.ts'
import { openWrites } from './chat/writes.ts'

const perSecond = 500
const userId = 'bench'
const channelIds = Array.from({ length: 100 }, (_, i) => `bench-${i + 1}`)
const text = 'A message of an ordinary length, as people write them to each other all day long.'

/** Measures and prints. About two minutes, `quick` half a minute. */
export async function benchChat(quick: boolean): Promise<void> {
  const [ms, rounds, seconds] = quick ? [1500, 1, 4] : [4000, 3, 15]
  const dataDir = await mkdtemp(join(tmpdir(), 'hubbub-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  const environment = { DATABASE_URL: postgres.url, HUBBUB_DATA_DIR: dataDir }
  const hubbub = await startHubbub(environment)
  const pool = new pg.Pool({ connectionString: postgres.url, max: 32 })
  try {
    const world = await prepare(hubbub.url)
    await pool.query(`create table bench_channels (id int primary key, message_count int not null default 0)`)
    await pool.query(`create table bench_messages (channel_id int, segment int, body text)`)
    await pool.query(`insert into bench_channels select n from generate_series(1, 100) n`)
    const writes = await openWrites(postgres.url, channelIds, userId, text)
    console.log(
      '| messages into | naive, /s | Hubbub without HTTP, /s | ratio | over HTTP, /s | ratio | p99, ms |',
    )
    console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
    for (const channels of [1, 100]) {
      const naive: number[] = []
      const written: number[] = []
      const ours = []
      await naiveRate(pool, channels, ms / 4)
      await writes.rate(channels, ms / 4)
      await load(hubbub.url, world.send(channels), ms / 4, 64)
      for (let round = 0; round < rounds; round++) {
        naive.push(await naiveRate(pool, channels, ms))
        written.push(await writes.rate(channels, ms))
        ours.push(await load(hubbub.url, world.send(channels), ms, 64))
      }
      const [floor, bare, own] = [middle(naive), middle(written), median(ours)]
      const beside = (rate: number) => `${rate.toFixed(0)} | ${(rate / floor).toFixed(2)}`
      const name = channels === 1 ? 'one channel' : `${channels} channels`
      const cells = [name, floor.toFixed(0), beside(bare), beside(own.rate), own.p99.toFixed(0)]
      console.log(`| ${cells.join(' | ')} |`)
    }
    await writes.close()
    await wait(2000)
    console.log(`\n| at ${perSecond} messages/s | p50, ms | p99, ms |\n| --- | ---: | ---: |`)
    const bare = await notifyDelays(postgres.url, pool, seconds)
    const ours = await deliveryDelays(hubbub.url, world, seconds)
    for (const [name, delays] of [
      ['insert and NOTIFY to LISTEN', bare],
      ['send to a listener over SSE', ours],
    ] as const)
      console.log(`| ${name} | ${at(delays, 0.5)} | ${at(delays, 0.99)} |`)
    console.log(`| ratio | ${ratio(ours, bare, 0.5)} | ${ratio(ours, bare, 0.99)} |`)
    const burst = await burstRate(hubbub.url, world, quick ? 2000 : 10_000)
    console.log(`\nA burst reaches its listener at ${burst.toFixed(0)} events/s through the dispatcher.`)
  } finally {
    await pool.end()
    await hubbub.stop()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const middle = (rates: number[]) => rates.sort((a, b) => a - b)[Math.floor(rates.length / 2)]!
const at = (delays: number[], share: number) =>
  delays.sort((a, b) => a - b)[Math.floor(delays.length * share)]!.toFixed(1)
const ratio = (a: number[], b: number[], share: number) =>
  (Number(at(a, share)) / Number(at(b, share))).toFixed(1)

// What one would write first: the channel's row counts, in the same statement.
async function naiveRate(pool: pg.Pool, channels: number, ms: number): Promise<number> {
  const began = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (performance.now() - began < ms) {
        await pool.query({
          name: 'naive',
          text: `with counted as (update bench_channels set message_count = message_count + 1 where id = $1
            returning message_count) insert into bench_messages select $1, message_count, $2 from counted`,
          values: [1 + Math.floor(Math.random() * channels), text],
        })
        count++
      }
    }),
  )
  return count / ((performance.now() - began) / 1000)
}

interface World {
  authorization: string
  send(channels: number): () => LoadRequest
}

async function prepare(url: string): Promise<World> {
  const { authorization, post } = await signIn(url, userId)
  for (const channelId of channelIds) await post('/api/v3/channels', { channelId, type: 'community' })
  return {
    authorization,
    send: (channels) => () => ({
      method: 'POST',
      path: '/api/v3/messages',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        channelId: channelIds[Math.floor(Math.random() * channels)],
        data: { text },
      }),
    }),
  }
}

/** Calls at a steady rate, however long each takes. */
async function pace(seconds: number, act: (i: number) => Promise<unknown>): Promise<void> {
  const began = performance.now()
  const running: Promise<unknown>[] = []
  for (let i = 0; i < seconds * perSecond;) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond)
    while (i < Math.min(due, seconds * perSecond)) running.push(act(i++))
    await wait(2)
  }
  await Promise.all(running)
}

async function notifyDelays(url: string, pool: pg.Pool, seconds: number): Promise<number[]> {
  const delays: number[] = []
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  client.on('notification', ({ payload }) => delays.push(performance.now() - Number(payload)))
  await client.query('listen bench')
  await pace(seconds, () =>
    pool.query({
      name: 'told',
      text: `with made as (insert into bench_messages values (1, 1, $1) returning 1) select pg_notify('bench', $2) from made`,
      values: [text, String(performance.now())],
    }),
  )
  await wait(500)
  await client.end()
  return delays
}

async function listen(url: string, world: World, hear: (text: string) => void): Promise<() => void> {
  const path = '/realtime?events[]=message.created'
  const request = get(url + path, { headers: { authorization: world.authorization }, agent: false })
  await new Promise<void>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      let rest = ''
      response.on('data', (chunk: Buffer) => {
        const records = (rest + chunk.toString()).split('\n\n')
        rest = records.pop()!
        for (const record of records) {
          const data = /^data: (.*)$/m.exec(record)?.[1]
          if (data)
            hear(
              (JSON.parse(data) as { data: { messages: { data: { text: string } }[] } }).data.messages[0]!
                .data.text,
            )
        }
      })
      response.on('error', () => undefined)
      resolve()
    })
  })
  await wait(300)
  return () => request.destroy()
}

async function say(url: string, world: World, message: string): Promise<void> {
  const { headers } = world.send(1)()
  const body = JSON.stringify({ channelId: 'bench-1', data: { text: message } })
  const answer = await fetch(`${url}/api/v3/messages`, { method: 'POST', headers: headers!, body })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

async function deliveryDelays(url: string, world: World, seconds: number): Promise<number[]> {
  const delays: number[] = []
  let isIdle = false
  const stop = await listen(url, world, (sent) => {
    if (sent === 'idle') isIdle = true
    else if (isIdle) delays.push(performance.now() - Number(sent))
  })
  // What the rates left behind goes first.
  await say(url, world, 'idle')
  while (!isIdle) await wait(20)
  const count = seconds * perSecond
  await pace(seconds, () => say(url, world, String(performance.now())))
  for (let waited = 0; delays.length < count && waited < 20_000; waited += 20) await wait(20)
  stop()
  if (delays.length !== count) throw new Error(`heard ${delays.length} of ${count}`)
  return delays
}

/** Events a second from the first sending to the last hearing, when as many as possible are sent. */
async function burstRate(url: string, world: World, count: number): Promise<number> {
  let heard = 0
  let last = 0
  const stop = await listen(url, world, () => {
    heard++
    last = performance.now()
  })
  const began = performance.now()
  let left = count
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (left-- > 0) await say(url, world, 'x')
    }),
  )
  while (heard < count) await wait(20)
  stop()
  return count / ((last - began) / 1000)
}
