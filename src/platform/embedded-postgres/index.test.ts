import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findRunningPostgres, startEmbeddedPostgres, type EmbeddedPostgres } from './index.ts'
import { isPostgresOf } from './leftover.ts'
import { startOwner, runScript } from './owner.fixture.ts'
import { readPostmasterFile } from './postmaster-file.ts'

// Servers start and stop many times here, on machines that may be busy.
vi.setConfig({ testTimeout: 90_000 })

// One folder for all: each test leaves it stopped, with its rows in place. mkdtemp makes it mode 0700, and the name
// is as awkward as people's folders are.
let parent: string
let dataDir: string
let written = 0

beforeAll(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'hubbub-test-')))
  dataDir = join(parent, `Jo's "data" ü`)
})
afterAll(() => rm(parent, { recursive: true, force: true }))

const cluster = () => join(dataDir, 'postgres')
const serverLog = () => readFile(join(dataDir, 'postgres.log'), 'utf8')

async function query(url: string, text: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

async function writeRow(url: string): Promise<void> {
  await query(url, `INSERT INTO kept VALUES (${++written})`)
}

async function expectAllRows(url: string): Promise<void> {
  expect(await query(url, 'SELECT count(*)::int, max(n) FROM kept')).toEqual([[written, written]])
}

/** Starts on the folder, looks whether all rows are there, and stops. Answers what was logged. */
async function expectGoodStart(): Promise<string[]> {
  const lines: string[] = []
  const server = await startEmbeddedPostgres({ dataDir, log: (line) => lines.push(line) })
  try {
    await expectAllRows(server.url)
  } finally {
    await server.stop()
  }
  return lines
}

const lineOf = async (owner: { lines: AsyncIterator<string> }) => (await owner.lines.next()).value as string

async function postmasterPid(): Promise<number> {
  return (await readPostmasterFile(cluster()))?.pid ?? 0
}

describe('a server on one data folder', () => {
  it('is made on first start: durable, UTF-8 with Unicode case rules, loopback, a private password', async () => {
    const server = await startEmbeddedPostgres({ dataDir })
    const { hostname, password, pathname } = new URL(server.url)
    expect([hostname, pathname]).toEqual(['127.0.0.1', '/hubbub'])
    await query(server.url, 'CREATE TABLE kept (n int PRIMARY KEY)')
    await writeRow(server.url)
    const names = [
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'server_encoding',
      'listen_addresses',
      'TimeZone',
    ]
    const settings = await query(
      server.url,
      `SELECT ${names.map((name) => `current_setting('${name}')`).join()}`,
    )
    expect(settings).toEqual([['on', 'on', 'on', 'UTF8', '127.0.0.1', 'UTC']])
    expect(await query(server.url, `SELECT lower('ÄÉ'), 'a' > 'B'`)).toEqual([['äé', true]])
    expect((await stat(join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600)
    expect(await findRunningPostgres(dataDir)).toEqual({ url: server.url })
    await expect(query(server.url.replace(password, 'guess'), 'SELECT 1')).rejects.toThrow('password')

    const pid = await postmasterPid()
    await Promise.all([server.stop(), server.stop()])
    expect(await isPostgresOf(cluster(), pid)).toBe(false)
    expect(await findRunningPostgres(dataDir)).toBeNull()
    expect(await serverLog()).toMatch(/database system is shut down\s*$/)
  })

  it('keeps its rows over a restart, without recovery', async () => {
    expect(await expectGoodStart()).toEqual([])
    expect(await serverLog()).not.toContain('not properly shut down')
  })

  it('refuses a second owner at once and leaves the first alone', async () => {
    const owner = startOwner(dataDir)
    const url = await lineOf(owner)
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      expected: true,
      message: expect.stringMatching(`in use by pid ${owner.process.pid}: stop that server first`) as string,
    })
    await writeRow(url)
    await owner.kill()
    await expectGoodStart()
  })

  it('survives kill -9 of its owner, and ends by itself where the system has a way', async () => {
    const owner = startOwner(dataDir)
    const url = await lineOf(owner)
    const pid = await postmasterPid()
    await writeRow(url)
    await owner.kill()
    if (process.platform === 'linux')
      await vi.waitFor(async () => expect(await isPostgresOf(cluster(), pid)).toBe(false), {
        timeout: 30_000,
      })
    await expectGoodStart()
  })

  it('has every acknowledged row after owner and PostgreSQL were killed amid writes', async () => {
    const owner = startOwner(
      dataDir,
      `const { default: pg } = await import('pg')
      const client = new pg.Client({ connectionString: server.url })
      client.on('error', () => undefined)
      await client.connect()
      for (let n = ${written + 1}; ; n++) {
        await client.query('INSERT INTO kept VALUES ($1)', [n])
        console.log(n)
      }`,
    )
    const pid = await lineOf(owner).then(postmasterPid)
    const start = written
    while (written < start + 50) written = Number(await lineOf(owner))
    process.kill(pid, 'SIGKILL')
    await owner.kill()
    for (let line = await owner.lines.next(); !line.done; line = await owner.lines.next())
      written = Number(line.value)
    const { url, stop } = await startEmbeddedPostgres({ dataDir })
    // The row in flight may be there, or not.
    const [[count, last]] = (await query(url, 'SELECT count(*)::int, max(n) FROM kept')) as [[number, number]]
    expect([written, written + 1]).toContain(count)
    expect(last).toBe(count)
    written = count
    await stop()
  })

  it('stops a PostgreSQL that an earlier owner left running', async () => {
    // What remains of an owner on a system that does not tie the two: a PostgreSQL in use, without a lock holder.
    const file = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
    const owner = runScript(
      `import { launchPostmaster } from ${file('postmaster.ts')}
      import { findBinaries } from ${file('binaries.ts')}
      import { chooseIdentity } from ${file('identity.ts')}
      import { openServerLog } from ${file('server-log.ts')}
      const [, dataDir, folder] = process.argv
      const binaries = await findBinaries(dataDir)
      const identity = await chooseIdentity(dataDir, folder, binaries)
      const serverLog = openServerLog(dataDir + '/postgres.log')
      const options = { cluster: { folder, identity, binaries }, serverLog, durable: true, settings: {}, tie: false, log() {} }
      console.log((await launchPostmaster(options)).pid)
      setInterval(() => {}, 1000)`,
      dataDir,
      cluster(),
    )
    const pid = Number(await lineOf(owner))
    await owner.kill()
    expect(await isPostgresOf(cluster(), pid)).toBe(true)
    const { url } = (await findRunningPostgres(dataDir)) as { url: string }
    await writeRow(url)
    expect(await expectGoodStart()).toEqual([expect.stringContaining(`left running (pid ${pid})`)])
    expect(await isPostgresOf(cluster(), pid)).toBe(false)
  })

  it('comes back at the same address when PostgreSQL itself is killed', async () => {
    const lines: string[] = []
    const server = await startEmbeddedPostgres({ dataDir, log: (line) => lines.push(line) })
    await writeRow(server.url)
    const pid = await postmasterPid()
    process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(lines).toContain('PostgreSQL is back'), { timeout: 30_000 })
    expect(await postmasterPid()).not.toBe(pid)
    await expectAllRows(server.url)
    process.kill(await postmasterPid(), 'SIGKILL')
    await server.stop()
    await expectGoodStart()
  })

  it('is not fooled by a pid file whose pid has become another program', async () => {
    const { uid, gid } = await stat(cluster())
    const stranger = spawn('sleep', ['60'], process.geteuid?.() === 0 ? { uid, gid } : {})
    await once(stranger, 'spawn')
    const text = [stranger.pid, cluster(), 0, 5432, '', '127.0.0.1', '', 'ready', ''].join('\n')
    await writeFile(join(cluster(), 'postmaster.pid'), text)
    expect(await findRunningPostgres(dataDir)).toBeNull()
    expect(await expectGoodStart()).toEqual([
      expect.stringContaining(`pid ${stranger.pid} is another program`),
    ])
    expect(stranger.exitCode).toBeNull()
    stranger.kill()
  })

  it('does not get the Ctrl-C of the terminal: the owner can still drain', async () => {
    const owner = startOwner(
      dataDir,
      `const { default: pg } = await import('pg')
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      process.once('SIGINT', async () => {
        await new Promise((resolve) => setTimeout(resolve, 300))
        await client.query('INSERT INTO kept VALUES (${++written})')
        await client.end()
        await server.stop()
        console.log('drained')
      })
      console.log('ready')`,
    )
    await owner.lines.next()
    expect(await lineOf(owner)).toBe('ready')
    process.kill(-(owner.process.pid as number), 'SIGINT')
    expect(await lineOf(owner)).toBe('drained')
    await expectGoodStart()
  })

  it('gets a new password when the file with it was lost', async () => {
    const path = join(dataDir, 'postgres.password')
    const before = await readFile(path, 'utf8')
    await rm(path)
    await expectGoodStart()
    expect(await readFile(path, 'utf8')).not.toBe(before)
  })
})

describe('a start that fails', () => {
  const start = (settings: Record<string, string> = {}): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({ dataDir, settings })

  it('says what PostgreSQL said, and leaves the folder free', async () => {
    await expect(start({ shared_buffers: 'plenty' })).rejects.toMatchObject({
      expected: true,
      message: expect.stringMatching(
        /did not start[^]*postgres\.log[^]*"shared_buffers": "plenty"/,
      ) as string,
    })
    await expectGoodStart()
  })

  it('names a cluster of another major version, data of another kind, a folder that is a file', async () => {
    const version = await readFile(join(cluster(), 'PG_VERSION'), 'utf8')
    await writeFile(join(cluster(), 'PG_VERSION'), '12\n')
    await expect(start()).rejects.toThrow(/made by PostgreSQL 12, this program brings 17/)
    await rm(join(cluster(), 'PG_VERSION'))
    await expect(start()).rejects.toThrow('holds no PostgreSQL data')
    await writeFile(join(cluster(), 'PG_VERSION'), version)
    await expect(startEmbeddedPostgres({ dataDir: join(dataDir, 'lock') })).rejects.toMatchObject({
      expected: true,
    })
    await expectGoodStart()
  })

  it('names a wrong password file', async () => {
    const path = join(dataDir, 'postgres.password')
    const password = await readFile(path, 'utf8')
    await writeFile(path, 'wrong\n')
    await expect(start()).rejects.toThrow('is not the password of its database')
    await writeFile(path, password)
    await expectGoodStart()
  })
})
