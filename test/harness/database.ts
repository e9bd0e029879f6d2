import { setTimeout as wait } from 'node:timers/promises'
import { inject } from 'vitest'
import { isPostgresError } from '../../src/platform/database/database.ts'
import { newId } from '../../src/platform/ids.ts'
import { databaseUrl, withClient } from './postgres.ts'

/** A migrated, empty database of its own. */
export interface TestDatabase {
  url: string
  /** Drops it, whoever is still connected. */
  drop(): Promise<void>
}

const objectInUse = '55006'

/** Clones the template database; about 30 ms (by file copy: half the time of the WAL strategy). Safe in any number of test files at once. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const postgres = inject('postgres')
  const name = `${postgres.prefix}_${newId()}`
  const create = `CREATE DATABASE ${name} TEMPLATE ${postgres.template} STRATEGY FILE_COPY`
  await withClient(postgres.adminUrl, async (client) => {
    for (let triesLeft = 20; ; triesLeft--) {
      try {
        return void (await client.query(create))
      } catch (error) {
        // A background worker may visit the template for a moment.
        if (triesLeft === 0 || !isPostgresError(error) || error.code !== objectInUse) throw error
        await wait(100)
      }
    }
  })
  return {
    url: databaseUrl(postgres, name),
    drop: () =>
      withClient(postgres.adminUrl, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      }),
  }
}
