import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../src/platform/database/migrations.ts'
import { newSecret } from '../../src/platform/ids.ts'
import { clusterFolder, readPassword } from '../../src/platform/embedded-postgres/cluster.ts'
import { lockFolder } from '../../src/platform/embedded-postgres/folder-lock.ts'
import { stopLeftovers } from '../../src/platform/embedded-postgres/leftover.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/index.ts'
import { databaseUrl, dropDatabases, withClient, type TestPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres
  }
}

/**
 * Starts one PostgreSQL for the whole run, or takes the one TEST_DATABASE_URL names, and migrates a template database
 * on it once. Answers how to clean up, which Vitest does after failures too.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  const { url: adminUrl, stop } = given ? { url: given, stop: async () => undefined } : await startThrowAway()
  // Runs that share a server must not see each other's databases.
  const prefix = `hubbub_test_${newSecret(6).replace(/\W/g, 'x').toLowerCase()}`
  const postgres = { adminUrl, prefix, template: `${prefix}_template` }
  const cleanUp = async () => {
    if (given) await dropDatabases(postgres)
    await stop()
  }
  try {
    await withClient(adminUrl, (client) => client.query(`CREATE DATABASE ${postgres.template}`))
    await migrate(databaseUrl(postgres, postgres.template))
    // A connection to the template would stop it from being cloned.
    await withClient(adminUrl, (client) =>
      client.query(`ALTER DATABASE ${postgres.template} ALLOW_CONNECTIONS false`),
    )
  } catch (error) {
    await cleanUp()
    throw error
  }
  project.provide('postgres', postgres)
  return cleanUp
}

const folderPrefix = 'hubbub-test-postgres-'
const memory = '/dev/shm'
const folders = [memory, tmpdir()]

/** Memory where there is plenty: a database is some 700 files, which are cloned 15 times faster there than on a disk. */
async function fastestFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > 4 * 1024 ** 3 ? memory : tmpdir()
}

async function startThrowAway(): Promise<{ url: string; stop: () => Promise<void> }> {
  await Promise.all(folders.map(removeAbandoned))
  const dataDir = await mkdtemp(join(await fastestFolder(), folderPrefix))
  const removeFolder = () => rm(dataDir, { recursive: true, force: true })
  try {
    const started = await startEmbeddedPostgres({
      dataDir,
      durable: false,
      settings: { max_connections: '400', shared_buffers: '128MB', max_wal_size: '256MB' },
      log: (line) => console.error(line),
    })
    return { url: started.url, stop: () => started.stop().finally(removeFolder) }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

/** Removes what runs that were killed left behind. A password is only written by one who holds the lock. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const folder = join(parent, name)
    if (!name.startsWith(folderPrefix) || !(await readPassword(folder))) continue
    // Held by a run that is going on, or another user's: not ours to remove.
    const lock = await lockFolder(folder).catch(() => null)
    if (!lock) continue
    await stopLeftovers(clusterFolder(folder), () => undefined)
    await rm(folder, { recursive: true, force: true })
    lock.release()
  }
}
