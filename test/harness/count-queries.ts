import pg from 'pg'

/**
 * How many statements `work` sends to PostgreSQL, once everything is remembered that will be: the least of three runs,
 * since what goes on beside it only adds.
 */
export async function countQueries(work: () => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  for (let run = 0; run < 3; run++) counts.push(await countOnce(work))
  return Math.min(...counts)
}

async function countOnce(work: () => Promise<unknown>): Promise<number> {
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
