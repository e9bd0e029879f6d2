import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { blockedIds } from '../follows/index.ts'
import { findUsersByPublicId } from '../users/index.ts'
import { findReadableStreams } from './resource.ts'
import type { ListStreamsQuery, StreamStatus } from './schema.ts'
import { findStreamsById, queryStreamRows, type StreamRow } from './store.ts'

/** A stream the viewer may read, deleted or not. Fails with `notFound`. */
export async function requireReadableStream(db: Db, viewer: Viewer, id: string): Promise<StreamRow> {
  const [stream] = await findStreamsById(db, [id])
  if (!stream) return fail('notFound')
  return (await findReadableStreams(db, viewer, [stream])).has(id) ? stream : fail('notFound')
}

type Listed = { id: string; createdAt: Date }

/** A page of the streams that the viewer may read, newest first unless asked otherwise. */
export async function listStreams(db: Db, viewer: Viewer, query: ListStreamsQuery): Promise<Page<Listed>> {
  const { isLive, statuses, userPublicIds, isDeleted, sortBy } = query
  const cursor = parsePage(query)
  const filter = {
    statuses: statusesAsked(isLive, statuses),
    userIds: userPublicIds?.length
      ? (await findUsersByPublicId(db, userPublicIds)).map((user) => user.id)
      : undefined,
    isDeleted,
    without: await blockedIds(db, viewer.id),
    order: sortBy === 'firstCreated' ? ('asc' as const) : ('desc' as const),
  }
  if (cursor.limit === 0) return { rows: [], paging: {} }
  const keyOf = (row: Listed) => [row.createdAt.getTime(), row.id]
  // What the viewer may not read is passed over, so that a page is full as long as there is more.
  const found: Listed[] = []
  let position = cursor
  for (;;) {
    const rows = await queryStreamRows(db, filter, position)
    const streams = await findStreamsById(
      db,
      rows.map((row) => row.id),
    )
    const readable = await findReadableStreams(db, viewer, streams)
    found.push(...rows.filter((row) => readable.has(row.id)))
    const last = rows.at(-1)
    if (!last || rows.length <= position.limit || found.length > cursor.limit) break
    position = { ...cursor, limit: 100, key: keyOf(last) }
  }
  return cutPage(found.slice(0, cursor.limit + 1), cursor, keyOf)
}

// `isLive: false` is the default and asks for nothing.
function statusesAsked(isLive = false, statuses: StreamStatus[] = []): StreamStatus[] | undefined {
  if (!isLive) return statuses.length > 0 ? statuses : undefined
  return statuses.length === 0 || statuses.includes('live') ? ['live'] : []
}
