import { sql, type QueryExecutorProvider } from 'kysely'

/** Sends a payload to whoever listens to a PostgreSQL channel; inside a transaction, when it commits. */
export async function notify(db: QueryExecutorProvider, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}
