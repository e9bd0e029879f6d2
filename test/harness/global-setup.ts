import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../src/platform/database/migrations.ts'
import { newSecret } from '../../src/platform/ids.ts'
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

async function startThrowAway(): Promise<{ url: string; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hubbub-test-'))
  const removeFolder = () => rm(dataDir, { recursive: true, force: true })
  try {
    const started = await startEmbeddedPostgres({
      dataDir,
      durable: false,
      settings: { max_connections: '400', shared_buffers: '128MB' },
      log: (line) => console.error(line),
    })
    return { url: started.url, stop: () => started.stop().finally(removeFolder) }
  } catch (error) {
    await removeFolder()
    throw error
  }
}
