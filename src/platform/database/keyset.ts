import {
  sql,
  type Expression,
  type OrderByDirection,
  type RawBuilder,
  type ReferenceExpression,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely'

/** One column of a sort key. `time` columns travel as epoch milliseconds; `real` ones hold fractions. */
export interface KeyColumn {
  column: string
  type: 'time' | 'text' | 'integer' | 'real'
  /**
   * For values too long for a token (names): reads the value from the row that the last part of the key names. Such a
   * column has no part of its own in the key.
   */
  of?: (lastPart: string | number) => RawBuilder<unknown>
}

/** Where a page starts; `key` is empty on a first page. */
export interface KeysetPosition {
  limit: number
  key: (string | number)[]
  direction: 'after' | 'before'
}

/**
 * Adds order, position and `limit + 1` of a keyset page to a query. All columns sort the same way, the last one must
 * be unique. Going `before` reads in reverse; the caller turns the rows round.
 * Answers null when the key does not fit the columns (a token of another operation).
 */
export function keysetPage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  position: KeysetPosition,
  columns: KeyColumn[],
  order: 'asc' | 'desc',
): SelectQueryBuilder<DB, TB, O> | null {
  const { key, direction, limit } = position
  const forward = direction === 'after'
  const read: OrderByDirection = forward === (order === 'asc') ? 'asc' : 'desc'
  let page = query
  if (key.length > 0) {
    const own = columns.filter((column) => !column.of)
    if (key.length !== own.length || !key.every((part, i) => fits(part, own[i]!))) return null
    const left = sql.join(columns.map(({ column }) => sql.ref(column)))
    const right = sql.join(
      columns.map((column) => column.of?.(key.at(-1)!) ?? literal(key[own.indexOf(column)]!, column)),
    )
    const compare = sql.raw(read === 'asc' ? '>' : '<')
    page = page.where(sql<SqlBool>`(${left}) ${compare} (${right})` as Expression<SqlBool>)
  }
  for (const { column } of columns) page = page.orderBy(column as ReferenceExpression<DB, TB> & string, read)
  return page.limit(limit + 1)
}

function fits(part: string | number, { type }: KeyColumn): boolean {
  if (type === 'text') return typeof part === 'string'
  return type === 'real' ? typeof part === 'number' : Number.isSafeInteger(part)
}

function literal(part: string | number, { type }: KeyColumn): RawBuilder<unknown> {
  return type === 'time' ? sql`${new Date(part)}` : sql`${part}`
}
