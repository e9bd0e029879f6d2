import { sql, type QueryExecutorProvider } from 'kysely'
import pg from 'pg'

export interface ListenHandlers {
  onMessage(payload: string): void
  /** From now on nothing is missed; what was said before may have been. */
  onListening(): void
  /** The connection broke, or could not be made; it is tried again. */
  onLost(error?: Error): void
}

const retryMs = 1000

/** Listens to a PostgreSQL notification channel on a connection of its own, connecting again when it breaks. */
export function listen(
  databaseUrl: string,
  channel: string,
  handlers: ListenHandlers,
): { close(): Promise<void> } {
  let client: pg.Client | null = null
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const connect = async () => {
    const next = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'hubbub-listen',
      keepAlive: true,
    })
    let down = false
    const lost = (error?: Error) => {
      if (down || closed) return
      down = true
      handlers.onLost(error)
      timer = setTimeout(() => void connect(), retryMs)
    }
    next.on('error', lost)
    next.on('end', () => lost())
    next.on('notification', ({ payload = '' }) => handlers.onMessage(payload))
    try {
      await next.connect()
      client = next
      await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      handlers.onListening()
    } catch (error) {
      lost(error as Error)
    }
  }
  const started = connect()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await started
      await client?.end()
    },
  }
}

/** Sends a notification, once and only if the transaction commits. */
export async function notify(tx: QueryExecutorProvider, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(tx)
}
