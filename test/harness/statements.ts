import type { TestServer } from './server.ts'

/** Counts the statements requests run outside transactions. Call it once for each server; answers how to read it. */
export function countStatements(server: TestServer): () => number {
  let executed = 0
  const executor = server.app.db.getExecutor()
  const run = executor.executeQuery.bind(executor)
  executor.executeQuery = (query) => {
    executed++
    return run(query)
  }
  return () => executed
}
