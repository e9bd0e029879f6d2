import { now } from '../../platform/clock.ts'
import type { Db } from '../../kernel/database.ts'
import { cutPage, parsePage, type Cursor, type PageQuery, type Paging } from '../../kernel/paging.ts'
import { fail } from '../../kernel/errors.ts'
import { iso } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findItems, queryItemKeys, type ItemKey } from './list-store.ts'
import { keptSince } from './retention.ts'
import { findVisible } from './resource.ts'
import type { TraySeen } from './schema.ts'
import { findTraySeen } from './store.ts'

/** How many of the latest items are looked through for the one that makes the tray new. */
const looked = 20

const keyOf = ({ lastOccurredAt, id }: ItemKey) => [lastOccurredAt.getTime(), id]

/** A page of the viewer's tray, by item ids, the latest first. */
export async function queryTray(
  db: Db,
  viewer: Viewer,
  query: PageQuery,
): Promise<{ ids: string[]; paging: Paging }> {
  const cursor = parsePage(query, 20)
  requireKey(cursor)
  const fetched = await queryItemKeys(db, viewer.id, keptSince(now()), cursor)
  const { rows, paging } = cutPage(fetched, cursor, keyOf)
  return { ids: rows.map((row) => row.id), paging }
}

/** Until when the viewer has seen their tray, and when something they see came into it last. */
export async function readTraySeen(db: Db, viewer: Viewer): Promise<TraySeen> {
  const first: Cursor = { limit: looked, key: [], direction: 'after' }
  const [seen, keys] = await Promise.all([
    findTraySeen(db, viewer.id),
    queryItemKeys(db, viewer.id, keptSince(now()), first),
  ])
  const items = keys.length === 0 ? [] : await findItems(db, viewer.id, idsOf(keys))
  const visible = await findVisible(db, viewer, items)
  // Clients compare both times as text, so what never happened is a time too.
  const last = Math.max(
    0,
    ...items.filter(({ id }) => visible.has(id)).map(({ lastOccurredAt }) => lastOccurredAt.getTime()),
  )
  return { lastTraySeenAt: iso(seen), lastTrayOccurredAt: iso(new Date(last)) }
}

function idsOf(keys: ItemKey[]): string[] {
  return keys.map(({ id }) => id)
}

function requireKey({ key: [time, id, ...rest] }: Cursor): void {
  if (time === undefined) return
  if (!Number.isSafeInteger(time) || typeof id !== 'string' || rest.length > 0) fail('badPageToken')
}
