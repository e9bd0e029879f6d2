import pg from 'pg'

/** Runs `work` and answers how many statements this process sent to PostgreSQL meanwhile. */
export async function countQueries(work: () => Promise<unknown>): Promise<number> {
  // The prototype is patched, because the pool makes its clients whenever it needs them.
  const prototype = pg.Client.prototype
  const original = prototype.query
  let count = 0
  prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    count++
    return (original as (...args: unknown[]) => unknown).apply(this, args)
  } as typeof original
  try {
    await work()
  } finally {
    prototype.query = original
  }
  return count
}
