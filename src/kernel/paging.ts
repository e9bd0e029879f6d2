import { Type, type Static } from 'typebox'
import { isStorable } from '../platform/storable-text.ts'
import { fail } from './errors.ts'

/** Where a page starts: the sort key values of the row it follows (or precedes), and the page size. */
export interface Cursor {
  limit: number
  /** Sort key of the boundary row; empty on a first page. */
  key: (string | number)[]
  direction: 'after' | 'before'
}

/** What an operation answers beside its page. */
export const Paging = Type.Object({
  next: Type.Optional(Type.String()),
  previous: Type.Optional(Type.String()),
  prev: Type.Optional(Type.String()),
  total: Type.Optional(Type.Integer()),
})
export type Paging = Static<typeof Paging>

/** Query members every paged operation accepts, nested in `options` or flat, as the clients send them. */
const PageOptions = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
  after: Type.Optional(Type.String({ maxLength: 150 })),
  before: Type.Optional(Type.String({ maxLength: 150 })),
  first: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  last: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  skip: Type.Optional(Type.Integer({ minimum: 0 })),
})
export const PageQuery = Type.Object({
  options: Type.Optional(PageOptions),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
})
export type PageQuery = Static<typeof PageQuery>

const defaultLimit = 10
const maxLimit = 100

/** Reads the page asked for. A token carries the page size and position of its own; `limit` beside it is ignored. */
export function parsePage(query: PageQuery, fallbackLimit = defaultLimit): Cursor {
  const token = query.options?.token ?? query.token
  if (token !== undefined) return decodeToken(token, fallbackLimit)
  const limit =
    query.options?.limit ?? query.limit ?? query.options?.first ?? query.options?.last ?? fallbackLimit
  return { limit: Math.min(limit, maxLimit), key: [], direction: 'after' }
}

/** Tokens are base64 of a small JSON object: some clients decode them and read `limit`. */
export function encodeToken({ limit, key, direction }: Cursor): string {
  return Buffer.from(JSON.stringify({ limit, [direction]: key })).toString('base64')
}

function decodeToken(token: string, fallbackLimit: number): Cursor {
  let value: { limit?: unknown; after?: unknown; before?: unknown; skip?: unknown }
  try {
    value = JSON.parse(Buffer.from(token, 'base64').toString('utf8')) as typeof value
  } catch {
    return fail('badPageToken')
  }
  if (typeof value !== 'object' || value === null) return fail('badPageToken')
  const limit = value.limit ?? fallbackLimit
  const direction = value.before === undefined ? 'after' : 'before'
  // A client builds `{skip: 0, limit}` itself to ask for a first page.
  const key = value[direction] ?? []
  const keyed = Array.isArray(key) && key.every(isKeyPart)
  const sized = Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= maxLimit
  if (!keyed || !sized) return fail('badPageToken')
  return { limit: limit as number, key: key as (string | number)[], direction }
}

// No list is sorted by times, or by any other number, beyond these.
const firstTime = Date.UTC(1900, 0, 1)
const lastTime = Date.UTC(9999, 11, 31)

/** Whether a list could be sorted by this: what the database cannot hold was never part of a token. */
function isKeyPart(part: unknown): boolean {
  if (typeof part === 'string') return isStorable(part)
  return typeof part === 'number' && part >= firstTime && part <= lastTime
}

/** A page of rows in display order, and the tokens around it. */
export interface Page<Row> {
  rows: Row[]
  paging: Paging
}

/**
 * Cuts one page from rows fetched with `limit + 1` in fetch order (display order, or reversed when going `before`).
 * `keyOf` names a row's sort key. Pages joined equal the whole list, also while rows are inserted.
 */
export function cutPage<Row>(
  fetched: Row[],
  cursor: Cursor,
  keyOf: (row: Row) => (string | number)[],
): Page<Row> {
  const { limit, key, direction } = cursor
  const more = fetched.length > limit
  const rows = fetched.slice(0, limit)
  if (direction === 'before') rows.reverse()
  const first = rows[0]
  const last = rows.at(-1)
  const hasNext = direction === 'after' ? more : key.length > 0 && rows.length > 0
  const hasPrevious = direction === 'after' ? key.length > 0 && rows.length > 0 : more
  const next =
    hasNext && last !== undefined ? encodeToken({ limit, key: keyOf(last), direction: 'after' }) : undefined
  const previous =
    hasPrevious && first !== undefined
      ? encodeToken({ limit, key: keyOf(first), direction: 'before' })
      : undefined
  return { rows, paging: { ...(next && { next }), ...(previous && { previous, prev: previous }) } }
}
