import { readConfig } from '../config.ts'
import { migrate } from '../platform/database/migrations.ts'
import { openConfiguredDatabase } from './database.ts'

/** Brings the database up to date and says what it did. */
export async function migrateCommand(): Promise<void> {
  const database = await openConfiguredDatabase(readConfig(), { join: true })
  try {
    const applied = await migrate(database.url)
    console.log(applied.length === 0 ? 'up to date' : applied.map((name) => `applied ${name}`).join('\n'))
  } finally {
    await database.close()
  }
}
