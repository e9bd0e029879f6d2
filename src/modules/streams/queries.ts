import type { Db } from '../../kernel/database.ts'
import { byId } from '../../kernel/envelope/resource.ts'
import { fail } from '../../kernel/errors.ts'
import { parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { blockedIds } from '../follows/index.ts'
import { findUsersByPublicId } from '../users/index.ts'
import { readablePage } from './readable-page.ts'
import { findReadableStreams } from './resource.ts'
import type { ListStreamsQuery, StreamStatus } from './schema.ts'
import { findStreamsById, queryStreamRows, type StreamRow } from './store.ts'

/** A stream the viewer may read, deleted or not. Fails with `notFound`. */
export async function requireReadableStream(db: Db, viewer: Viewer, id: string): Promise<StreamRow> {
  const [stream] = await findStreamsById(db, [id])
  if (!stream) return fail('notFound')
  return (await findReadableStreams(db, viewer, [stream])).has(id) ? stream : fail('notFound')
}

/** A page of the streams that the viewer may read, newest first unless asked otherwise. */
export async function listStreams(db: Db, viewer: Viewer, query: ListStreamsQuery): Promise<Page<StreamRow>> {
  const { isLive, statuses, userPublicIds, isDeleted, sortBy } = query
  const filter = {
    statuses: statusesAsked(isLive, statuses),
    userIds: userPublicIds?.length
      ? (await findUsersByPublicId(db, userPublicIds)).map((user) => user.id)
      : undefined,
    isDeleted,
    without: await blockedIds(db, viewer.id),
    order: sortBy === 'firstCreated' ? ('asc' as const) : ('desc' as const),
  }
  return readablePage(
    parsePage(query),
    (position) => queryStreamRows(db, filter, position),
    async (ids) => {
      const streams = await findStreamsById(db, ids)
      const readable = await findReadableStreams(db, viewer, streams)
      return byId(
        streams.filter(({ id }) => readable.has(id)),
        ({ id }) => id,
      )
    },
  )
}

// `isLive: false` is the default and asks for nothing.
function statusesAsked(isLive = false, statuses: StreamStatus[] = []): StreamStatus[] | undefined {
  if (!isLive) return statuses.length > 0 ? statuses : undefined
  return statuses.length === 0 || statuses.includes('live') ? ['live'] : []
}
