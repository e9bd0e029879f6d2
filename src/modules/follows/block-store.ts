import { sql, type RawBuilder } from 'kysely'

/**
 * SQL: whether a user and the person a column names blocked one another, or one the other. `person` is a column of the
 * query around it, as it is called in the database.
 */
export function isBlockBetween(userId: string, person: string): RawBuilder<boolean> {
  const other = sql.ref(person)
  return sql<boolean>`exists (
    select from user_blocks blocked
    where (blocked.from_user_id = ${userId} and blocked.to_user_id = ${other})
      or (blocked.from_user_id = ${other} and blocked.to_user_id = ${userId})
  )`
}
