import type { Config } from '../config.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '../platform/embedded-postgres/index.ts'

/** A database to work on, and how to let go of it. */
export interface OpenedDatabase {
  url: string
  /** Where it is, for people: never with a password. */
  description: string
  close(): Promise<void>
}

/**
 * The database the settings name. Without DATABASE_URL: the embedded one, started here and stopped by `close`. With
 * `join`, one that a running server of the same data folder has started is used instead.
 */
export async function openConfiguredDatabase(
  config: Config,
  options: { join?: boolean } = {},
): Promise<OpenedDatabase> {
  if (config.DATABASE_URL) {
    const { host, pathname } = new URL(config.DATABASE_URL)
    return {
      url: config.DATABASE_URL,
      description: `PostgreSQL at ${host}${pathname}`,
      close: async () => undefined,
    }
  }
  const running = options.join ? await findRunningPostgres(config.dataDir) : null
  if (running)
    return {
      url: running.url,
      description: 'the running server of this data folder',
      close: async () => undefined,
    }
  const started = await startEmbeddedPostgres({ dataDir: config.dataDir })
  return { url: started.url, description: `embedded PostgreSQL in ${config.dataDir}`, close: started.stop }
}
