import { sql, type RawBuilder } from 'kysely'

/** `= any($1)`: one parameter for a list of any length, so that the query's text (and its plan) stays the same. */
export function anyOf<T>(values: readonly T[]): RawBuilder<T> {
  return sql<T>`any(${values})`
}
