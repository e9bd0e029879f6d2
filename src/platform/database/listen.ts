import pg from 'pg'

export interface ListenHandlers {
  onMessage(payload: string): void
  /** The connection was down: messages may have been missed. Called before listening goes on. */
  onGap(): void
  onError(error: Error): void
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

  const connect = async (isRetry: boolean) => {
    const next = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'hubbub-listen',
      keepAlive: true,
    })
    let down = false
    const lost = (error?: Error) => {
      if (down) return
      down = true
      if (closed) return
      if (error) handlers.onError(error)
      timer = setTimeout(() => void connect(true), retryMs)
    }
    next.on('error', lost)
    next.on('end', () => lost())
    next.on('notification', ({ payload = '' }) => handlers.onMessage(payload))
    try {
      await next.connect()
      client = next
      await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      if (isRetry) handlers.onGap()
    } catch (error) {
      lost(error as Error)
    }
  }
  const started = connect(false)
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await started
      await client?.end()
    },
  }
}
