import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Kysely, Migrator, PostgresDialect, sql, type Migration } from 'kysely'
import { installJobTables } from '../jobs/install.ts'
import { openPool } from './database.ts'

const shippedMigrations = fileURLToPath(new URL('../../../db/migrations/', import.meta.url))

/**
 * Applies the plain SQL files of a folder in name order, all in one transaction, under a lock: two nodes that start
 * at once migrate once. Throws when the database holds a migration this program does not know (it is newer).
 * The tables of jobs, which are not ours, follow. Answers the names it applied.
 */
export async function migrate(databaseUrl: string, directory = shippedMigrations): Promise<string[]> {
  const pool = openPool({ url: databaseUrl, poolSize: 1, name: 'hubbub-migrate' })
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: () => readMigrations(directory) },
      migrationTableName: 'migrations',
      migrationLockTableName: 'migrations_lock',
    })
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error) {
      const failed = results.find((result) => result.status === 'Error')
      throw new Error(`migration ${failed?.migrationName ?? 'check'} failed: ${(error as Error).message}`, {
        cause: error,
      })
    }
    await installJobTables(databaseUrl)
    return results.map((result) => result.migrationName)
  } finally {
    await db.destroy()
  }
}

async function readMigrations(directory: string): Promise<Record<string, Migration>> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  const migrations: Record<string, Migration> = {}
  for (const file of files) {
    const text = await readFile(`${directory}/${file}`, 'utf8')
    migrations[file.replace(/\.sql$/, '')] = { up: async (db) => void (await sql.raw(text).execute(db)) }
  }
  return migrations
}
