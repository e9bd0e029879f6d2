// What a page of 20 of the global feed costs a person with 500 follows and 50 communities at two sizes of the whole: two
// databases on one PostgreSQL, one server each, asked in turns. The ratio is what counts. Prints a Markdown table.
//   npm run bench -- feed [--quick]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/index.ts'
import { signIn, startHubbub, type Running } from './api/servers.ts'

const people = 1000
const communities = 100
const follows = 500
const memberships = 50

interface Network {
  posts: number
  server: Running
  authorization: string
}

interface Page {
  name: string
  /** The path of one request. */
  open(network: Network): Promise<string>
}

/** Seeds both sizes, measures, prints. Under three minutes. */
export async function benchFeed(quick: boolean): Promise<void> {
  const [sizes, requests] = quick ? [[10_000, 100_000], 30] : [[10_000, 1_000_000], 100]
  const dataDir = await mkdtemp(join(tmpdir(), 'hubbub-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  const networks: Network[] = []
  try {
    for (const posts of sizes) networks.push(await startNetwork(postgres.url, dataDir, posts))
    const [small, large] = networks as [Network, Network]
    console.log(
      `| page of 20 | at ${format(small.posts)} posts, ms | at ${format(large.posts)}, ms | ratio |`,
    )
    console.log('| --- | ---: | ---: | ---: |')
    for (const page of pages) {
      const [few, many] = await measure(page, [small, large], requests)
      console.log(`| ${page.name} | ${few.toFixed(1)} | ${many.toFixed(1)} | ${(many / few).toFixed(2)} |`)
    }
  } finally {
    for (const { server } of networks) await server.stop()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const newest = '/api/v4/me/global-feeds?limit=20'
const pages: Page[] = [
  { name: 'newest first', open: async () => newest },
  { name: 'newest first, the 10th page', open: (network) => deepPage(network, 10) },
  { name: 'pictures only', open: async () => `${newest}&dataTypes[]=image&resolveParent=true` },
  { name: 'most engaging first', open: async () => '/api/v5/me/global-feeds?limit=20' },
]

async function deepPage(network: Network, count: number): Promise<string> {
  let path = newest
  for (let page = 1; page < count; page++) {
    const { paging } = await get(network, path)
    path = `/api/v4/me/global-feeds?token=${encodeURIComponent(paging.next!)}`
  }
  return path
}

/** The median milliseconds of one request on each network, asked in turns. */
async function measure(
  page: Page,
  networks: [Network, Network],
  requests: number,
): Promise<[number, number]> {
  const paths = [await page.open(networks[0]), await page.open(networks[1])]
  const times: [number[], number[]] = [[], []]
  for (let i = -10; i < requests; i++) {
    for (const [n, network] of networks.entries()) {
      const began = performance.now()
      const { posts } = await get(network, paths[n]!)
      if (posts.length !== 20) throw new Error(`${page.name}: ${posts.length} posts`)
      if (i >= 0) times[n as 0 | 1].push(performance.now() - began)
    }
  }
  return times.map(median) as [number, number]
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

async function get(
  { server, authorization }: Network,
  path: string,
): Promise<{ posts: unknown[]; paging: { next?: string } }> {
  const answer = await fetch(server.url + path, { headers: { authorization } })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { posts: unknown[]; paging: { next?: string } }
}

async function startNetwork(postgresUrl: string, dataDir: string, posts: number): Promise<Network> {
  const url = new URL(postgresUrl)
  const name = `feed_${posts}`
  await query(postgresUrl, [`create database ${name}`])
  url.pathname = `/${name}`
  const server = await startHubbub({
    DATABASE_URL: url.href,
    HUBBUB_DATA_DIR: join(dataDir, name),
  })
  const reader = await signIn(server.url, 'reader')
  const began = performance.now()
  await seed(url.href, reader.id, posts)
  console.error(`seeded ${format(posts)} posts in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  return { posts, server, authorization: reader.authorization }
}

// Ids of one kind never meet those of another.
const id = (kind: string, n: string) => `substr(md5('${kind}' || ${n}), 1, 24)`

/** A network of a thousand people and a hundred communities with posts at random times of a year. */
async function seed(url: string, readerId: string, posts: number): Promise<void> {
  await query(url, [
    `insert into users (id, user_id, display_name, created_at, updated_at)
      select ${id('user', 'n')}, 'user-' || n, 'User ' || n, now(), now() from generate_series(1, ${people}) n`,
    `insert into feeds (id, target_type, target_id, feed_type, created_at, updated_at)
      select ${id('userfeed', 'n')}, 'user', ${id('user', 'n')}, 'published', now(), now() from generate_series(1, ${people}) n`,
    `insert into feeds (id, target_type, target_id, feed_type, created_at, updated_at)
      select ${id('communityfeed', 'n')}, 'community', ${id('community', 'n')}, 'published', now(), now()
      from generate_series(1, ${communities}) n`,
    `insert into communities (id, user_id, channel_id, display_name, feed_ids, created_at, updated_at)
      select ${id('community', 'n')}, ${id('user', 'n')}, ${id('community', 'n')}, 'Community ' || n,
        array[${id('communityfeed', 'n')}], now(), now() from generate_series(1, ${communities}) n`,
    `insert into community_members (community_id, user_id, membership, last_activity, created_at, updated_at)
      select ${id('community', 'n')}, '${readerId}', 'member', now(), now(), now() from generate_series(1, ${memberships}) n`,
    `insert into follows (from_user_id, to_user_id, status, created_at, updated_at)
      select '${readerId}', ${id('user', 'n')}, 'accepted', now(), now() from generate_series(1, ${follows}) n`,
    ...(await withoutIndexes(url, 'posts', seedPosts(posts))),
    'analyze',
  ])
}

function seedPosts(posts: number): string {
  return `insert into posts (id, target_type, target_id, feed_id, feed_type, posted_user_id, data_type, structure_type, data,
      attached_types, comments_count, reactions_count, published_at, edited_at, created_at, updated_at)
    select ${id('post', 'n')},
      case when n % 2 = 0 then 'user' else 'community' end,
      case when n % 2 = 0 then ${id('user', '(1 + n / 2 % 1000)')} else ${id('community', '(1 + n / 2 % 100)')} end,
      case when n % 2 = 0 then ${id('userfeed', '(1 + n / 2 % 1000)')} else ${id('communityfeed', '(1 + n / 2 % 100)')} end,
      'published', ${id('user', '(1 + n / 2 % 1000)')}, 'text', case when n % 7 = 0 then 'image' else 'text' end,
      json_build_object('text', repeat('what they said ', 10)), '{}', 0, n % 50, at, at, at, at
    from (select n, timestamptz '2025-01-01' + random() * interval '365 days' as at from generate_series(1, ${posts}) n) post`
}

/** The statements that fill a table before its indexes are built: in a third of the time. */
async function withoutIndexes(url: string, table: string, statement: string): Promise<string[]> {
  const [indexes] = await query(url, [
    `select indexname, indexdef from pg_indexes where tablename = '${table}' and indexdef not like 'CREATE UNIQUE%'`,
  ])
  return [
    ...indexes!.rows.map(({ indexname }) => `drop index ${indexname}`),
    statement,
    ...indexes!.rows.map(({ indexdef }) => indexdef!),
  ]
}

async function query(url: string, statements: string[]): Promise<pg.QueryResult<Record<string, string>>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Seeded rows are right by construction, and need not survive a crash.
    await client.query(
      "set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '256MB'",
    )
    const results = []
    for (const statement of statements) results.push(await client.query<Record<string, string>>(statement))
    return results
  } finally {
    await client.end()
  }
}

function format(posts: number): string {
  return posts.toLocaleString('en')
}
