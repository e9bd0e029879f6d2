import { runMigrations } from 'graphile-worker'
import { pino } from 'pino'
import { openPool } from '../database/database.ts'
import { workerLog } from './log.ts'

/** Makes or upgrades the tables of jobs, which have a schema of their own. Safe in several nodes at once. */
export async function installJobTables(databaseUrl: string): Promise<void> {
  const pool = openPool({ url: databaseUrl, poolSize: 1, name: 'hubbub-migrate' })
  try {
    await runMigrations({ pgPool: pool, logger: workerLog(pino({ enabled: false })) })
  } finally {
    await pool.end()
  }
}
