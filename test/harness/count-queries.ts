import { AsyncLocalStorage } from 'node:async_hooks'
import { Server } from 'node:http'
import pg from 'pg'

const insideRequest = new AsyncLocalStorage<true>()

/**
 * How many statements the reading requests of `work` send to PostgreSQL, once everything is remembered that will be:
 * the least of three runs. What servers of this process do beside requests is not counted.
 */
export async function countQueries(work: () => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  for (let run = 0; run < 3; run++) counts.push(await countOnce(work))
  return Math.min(...counts)
}

async function countOnce(work: () => Promise<unknown>): Promise<number> {
  // The prototypes are patched, because the pool makes its clients whenever it needs them.
  const client = pg.Client.prototype
  const server = Server.prototype
  const { query } = client
  const { emit } = server
  let count = 0
  client.query = function counted(this: pg.Client, ...args: unknown[]) {
    if (insideRequest.getStore()) count++
    return (query as (...args: unknown[]) => unknown).apply(this, args)
  } as typeof query
  server.emit = function entered(this: Server, ...args: unknown[]) {
    const go = () => (emit as (...args: unknown[]) => boolean).apply(this, args)
    return args[0] === 'request' ? insideRequest.run(true, go) : go()
  } as typeof emit
  try {
    await work()
  } finally {
    client.query = query
    server.emit = emit
  }
  if (count === 0) throw new Error('no request read anything')
  return count
}
