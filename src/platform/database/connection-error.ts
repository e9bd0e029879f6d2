import pg from 'pg'

/** The database cannot be reached, or the connection broke amid a query. `cause` is what pg threw. */
export class ConnectionError extends Error {
  constructor(cause: Error) {
    super(`the database does not answer: ${cause.message || (cause as NodeJS.ErrnoException).code}`, {
      cause,
    })
  }
}

/** What a pool threw when asked for a connection. What PostgreSQL itself said stays as it is. */
export function failedConnect(error: unknown): unknown {
  return error instanceof Error && !(error instanceof pg.DatabaseError) ? new ConnectionError(error) : error
}

// pg knows broken connections by their text alone.
const broken = /^(Connection terminated|Client (has encountered a connection error|was closed))/

/** What a query threw. A socket's own errors carry the name of the call that failed. */
export function failedQuery(error: unknown): unknown {
  const isBroken = error instanceof Error && ('syscall' in error || broken.test(error.message))
  return isBroken ? new ConnectionError(error) : error
}
