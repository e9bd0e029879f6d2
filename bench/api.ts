// Requests a second of this server beside a bare Fastify with one statement a request, on the same PostgreSQL, in
// turns within one run: the ratio is what counts, since machines are noisy. Prints a Markdown table.
//   npm run bench -- api [--quick]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/index.ts'
import { load, median, type LoadRequest, type LoadResult } from './api/load.ts'
import { signIn, startHubbub, startProcess } from './api/servers.ts'

interface Scenario {
  name: string
  ours: () => LoadRequest
  floor: () => LoadRequest
}

/** Measures every scenario and prints the table. */
export async function benchApi(quick: boolean): Promise<void> {
  const [ms, rounds] = quick ? [1000, 1] : [4000, 3]
  const dataDir = await mkdtemp(join(tmpdir(), 'hubbub-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  const environment = { DATABASE_URL: postgres.url, HUBBUB_DATA_DIR: dataDir }
  const hubbub = await startHubbub(environment)
  try {
    const world = await prepare(hubbub.url)
    const floor = await startProcess(['--import', 'tsx', 'bench/api/floor.ts'], {
      ...environment,
      CHANNEL_ID: world.channelId,
      USER_ID: world.userId,
    })
    try {
      console.log('| operation | floor, /s | Hubbub, /s | ratio | floor p99, ms | Hubbub p99, ms |')
      console.log('| --- | ---: | ---: | ---: | ---: | ---: |')
      for (const scenario of scenarios(world)) {
        await load(floor.url, scenario.floor, ms / 4)
        await load(hubbub.url, scenario.ours, ms / 4)
        const floors: LoadResult[] = []
        const ours: LoadResult[] = []
        for (let round = 0; round < rounds; round++) {
          floors.push(await load(floor.url, scenario.floor, ms))
          ours.push(await load(hubbub.url, scenario.ours, ms))
        }
        print(scenario.name, median(floors), median(ours))
      }
    } finally {
      await floor.stop()
    }
  } finally {
    await hubbub.stop()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function print(name: string, floor: LoadResult, ours: LoadResult): void {
  const cells = [
    name,
    floor.rate.toFixed(0),
    ours.rate.toFixed(0),
    (ours.rate / floor.rate).toFixed(2),
    floor.p99.toFixed(1),
    ours.p99.toFixed(1),
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

interface World {
  authorization: string
  userId: string
  communityId: string
  channelId: string
  messageIds: string[]
}

function scenarios({ authorization, communityId, channelId, messageIds }: World): Scenario[] {
  const headers = { authorization }
  const json = { 'content-type': 'application/json' }
  const data = { text: 'A message of an ordinary length, as people write them to each other all day long.' }
  const ours = (path: string) => () => ({ method: 'GET', path, headers }) as const
  const floor = (path: string) => () => ({ method: 'GET', path }) as const
  const list = messageIds.map((id) => `messageIds[]=${id}`).join('&')
  return [
    {
      name: 'create message (one channel)',
      ours: () => ({
        method: 'POST',
        path: '/api/v3/messages',
        headers: { ...headers, ...json },
        body: JSON.stringify({ channelId, data }),
      }),
      floor: () => ({ method: 'POST', path: '/messages', headers: json, body: JSON.stringify({ data }) }),
    },
    {
      name: 'get community',
      ours: ours(`/api/v3/communities/${communityId}`),
      floor: floor(`/communities/${communityId}`),
    },
    {
      name: 'global feed, page of 20',
      ours: ours('/api/v4/me/global-feeds?limit=20'),
      floor: floor(`/feeds/${communityId}`),
    },
    {
      name: 'list 10 messages by id',
      ours: ours(`/api/v5/messages/list?${list}`),
      floor: floor(`/messages?ids=${messageIds.join(',')}`),
    },
  ]
}

/** A person with a community of 200 posts and a channel with some messages, made over HTTP. */
async function prepare(url: string): Promise<World> {
  const { id: userId, authorization, post } = await signIn(url, 'bench')
  const communities = await post('/api/v3/communities', { displayName: 'Bench', isPublic: true })
  const communityId = read(communities, 'communities', 'communityId')
  for (let i = 0; i < 200; i++) {
    const body = { targetType: 'community', targetId: communityId, data: { text: `Post number ${i}` } }
    await post('/api/v4/posts', body)
  }
  const channels = await post('/api/v3/channels', { channelId: 'bench', type: 'community' })
  const messageIds: string[] = []
  for (let i = 0; i < 10; i++) {
    const message = await post('/api/v3/messages', { channelId: 'bench', data: { text: `Message ${i}` } })
    messageIds.push(read(message, 'messages', 'messageId'))
  }
  const channelId = read(channels, 'channels', 'channelId')
  return { authorization, userId, communityId, channelId, messageIds }
}

function read(answer: unknown, key: string, id: string): string {
  return String((answer as Record<string, Record<string, unknown>[]>)[key]![0]![id])
}
