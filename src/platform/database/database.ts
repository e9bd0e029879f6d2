import { Kysely } from 'kysely'
import pg from 'pg'
import { ConnectionError } from './connection-error.ts'
import { HubbubDialect } from './dialect.ts'

const int8 = 20

/** Settings of one pool. `name` shows in pg_stat_activity. */
export interface DatabaseOptions {
  url: string
  poolSize?: number
  name?: string
  onError?: (error: Error) => void
}

/** A plain pg pool. 64-bit integers come back as numbers: our counters stay below 2^53. */
export function openPool({ url, poolSize = 20, name = 'hubbub', onError }: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : (pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown),
    } as pg.CustomTypesConfig,
  })
  // An idle connection that the server closes is not an error of any request: the pool replaces it. A pool that ends
  // does not wait for its connections, and the server may be stopping too.
  pool.on('error', (error) => {
    if (!pool.ending) onError?.(error)
  })
  // One that is closed while somebody holds it tells so by its next query; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Kysely over a pool of its own. `Tables` is the generated table map. */
export function openDatabase<Tables>(options: DatabaseOptions): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new HubbubDialect(openPool(options)) })
}

/** A PostgreSQL error as pg throws it. */
export interface PostgresError extends Error {
  code: string
  constraint?: string
  table?: string
  detail?: string
}

export function isPostgresError(error: unknown): error is PostgresError {
  return error instanceof pg.DatabaseError && typeof error.code === 'string'
}

/** Whether running the same transaction again may succeed: serialization failure or deadlock. */
export function isRetryable(error: unknown): boolean {
  return isPostgresError(error) && (error.code === '40001' || error.code === '40P01')
}

/** Whether the database is away or out of connections, disk or time: the request may be repeated later. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof ConnectionError || (isPostgresError(error) && /^(53|57P0|08)/.test(error.code))
}

/** The name of the unique or check constraint an error broke, if it did. */
export function brokenConstraint(error: unknown): string | undefined {
  return isPostgresError(error) && error.code.startsWith('23') ? error.constraint : undefined
}
