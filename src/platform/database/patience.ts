import { sql, type QueryExecutorProvider } from 'kysely'

/** Lets no statement of a transaction take longer than so many ms: it fails then. */
export async function limitStatements(tx: QueryExecutorProvider, ms: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(tx)
}
