import type pg from 'pg'

// Any constant: keeps these locks apart from others that are taken on texts.
export const aliveLock = 4_102_020

/** Shows other nodes that the holder of jobs lives: an advisory lock that goes when its connection does. */
export interface SignOfLife {
  /** What locked jobs say of who holds them. */
  holder(): string
  rename(holder: string): void
  /** Takes the lock of the holder's name, where it is not held, and gives back that of a former name. */
  show(): Promise<void>
  /** Whether the connection broke since this was last asked. */
  wasLost(): boolean
  end(): void
}

export function createSignOfLife(pool: pg.Pool): SignOfLife {
  let holder = ''
  let shown = ''
  let client: pg.PoolClient | null = null

  let lost = false

  const drop = (error?: Error) => {
    if (error) lost = true
    client?.release(error ?? true)
    client = null
    shown = ''
  }
  const connect = async () => {
    const next = await pool.connect()
    next.on('error', (error) => next === client && drop(error))
    return next
  }
  return {
    holder: () => holder,
    rename: (name) => void (holder = name),
    async show() {
      // The runner may start again under another name while this one is being shown.
      const name = holder
      if (shown === name) return
      client ??= await connect()
      try {
        // What a runner that broke down had begun is free for others.
        await client.query('select pg_advisory_unlock_all()')
        // A former connection may hold it for a while; then the next call does it.
        const { rows } = await client.query<{ held: boolean }>(
          'select pg_try_advisory_lock(hashtextextended($1, $2)) as held',
          [name, aliveLock],
        )
        if (rows[0]?.held) shown = name
      } catch (error) {
        drop(error as Error)
        throw error
      }
    },
    wasLost() {
      const was = lost
      lost = false
      return was
    },
    end: () => drop(),
  }
}
