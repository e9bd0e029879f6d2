import { sql, type QueryExecutorProvider } from 'kysely'

/** Does something in a transaction that goes on if it fails: then only this is taken back, and the error thrown. */
export async function attempt<T>(tx: QueryExecutorProvider, work: () => Promise<T>): Promise<T> {
  await sql`savepoint attempt`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint attempt`.execute(tx)
    return result
  } catch (error) {
    await takeBack(tx)
    throw error
  }
}

/** Does something in a transaction and takes it back: it only shows what would come of it. Errors are thrown as usual. */
export async function rehearse<T>(tx: QueryExecutorProvider, work: () => Promise<T>): Promise<T> {
  await sql`savepoint attempt`.execute(tx)
  try {
    return await work()
  } finally {
    await takeBack(tx)
  }
}

async function takeBack(tx: QueryExecutorProvider): Promise<void> {
  await sql`rollback to savepoint attempt`.execute(tx)
  await sql`release savepoint attempt`.execute(tx)
}
