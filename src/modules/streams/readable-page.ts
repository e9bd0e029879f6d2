import { cutPage, type Cursor, type Page } from '../../kernel/paging.ts'

/** What lists of streams and rooms are sorted by. */
export interface Listed {
  id: string
  createdAt: Date
}

const refill = 100

/**
 * A page of what the viewer may read. What they may not is passed over, so that a page is full as long as there is more.
 * `query` answers `limit + 1` rows of a position, `readable` those of some ids that may be read.
 */
export async function readablePage<Row>(
  cursor: Cursor,
  query: (position: Cursor) => Promise<Listed[]>,
  readable: (ids: string[]) => Promise<Map<string, Row>>,
): Promise<Page<Row>> {
  if (cursor.limit === 0) return { rows: [], paging: {} }
  const keyOf = ({ id, createdAt }: Listed) => [createdAt.getTime(), id]
  const found: (Listed & { row: Row })[] = []
  let position = cursor
  for (;;) {
    const listed = await query(position)
    const rows = await readable(listed.map(({ id }) => id))
    found.push(...listed.flatMap((one) => (rows.has(one.id) ? { ...one, row: rows.get(one.id)! } : [])))
    const last = listed.at(-1)
    if (!last || listed.length <= position.limit || found.length > cursor.limit) break
    position = { ...cursor, limit: refill, key: keyOf(last) }
  }
  const page = cutPage(found.slice(0, cursor.limit + 1), cursor, keyOf)
  return { ...page, rows: page.rows.map(({ row }) => row) }
}
