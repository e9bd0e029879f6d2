import { Type } from 'typebox'
import { shape } from '../../kernel/envelope/shape.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { iso } from '../../kernel/schema.ts'
import { StreamIdParams } from './schema.ts'
import { streamShape } from './resource.ts'
import { banViewers, listViewers, recordWatching } from './watching.ts'
import { BanViewersBody, ListViewersQuery, StreamViewer, WatchingBody } from './watching-schema.ts'

const tag = 'Video streaming'
const path = '/api/v3/video-streaming/:streamId/viewers'

/** `playersOf` counts who watches at this moment, signed in or not. */
export function watchingRoutes(
  { read, write }: Routes,
  playersOf: (streamId: string) => Promise<number>,
): void {
  write(
    'POST',
    '/api/v3/user-event/video-streaming',
    {
      summary: 'Report how long streams were watched',
      tag,
      body: WatchingBody,
      answers: { schema: Type.Object({ ok: Type.Boolean() }) },
      openToVisitors: true,
    },
    async (tx, { viewer, body }) => {
      await recordWatching(tx, viewer, body.streams)
      return { body: { ok: true } }
    },
  )
  read(
    'GET',
    path,
    {
      summary: 'List who watched a stream',
      tag,
      params: StreamIdParams,
      query: ListViewersQuery,
      answers: shape('users', 'files'),
      extra: {
        viewers: Type.Array(StreamViewer),
        /** Who reported to watch within the last minute, and players connected now. */
        watching: Type.Integer(),
        players: Type.Integer(),
      },
      paged: true,
    },
    async (db, { viewer, params: { streamId }, query }) => {
      const { rows, paging, watching } = await listViewers(db, viewer, streamId, query)
      const viewers = rows.map((row) => ({
        userId: row.userPublicId,
        userInternalId: row.userId,
        joinedAt: iso(row.firstSeenAt),
        lastSeenAt: iso(row.lastSeenAt),
        watchSeconds: row.watchSeconds,
      }))
      const users = rows.map((row) => row.userId)
      const players = await playersOf(streamId)
      return { roots: { users }, paging, extra: { viewers, watching, players } }
    },
  )
  for (const [name, summary, isBan] of [
    ['ban', 'Shut a stream to viewers', true],
    ['unban', 'Open a stream to viewers again', false],
  ] as const)
    write(
      'PUT',
      `${path}/${name}`,
      { summary, tag, params: StreamIdParams, body: BanViewersBody, answers: streamShape },
      async (tx, { viewer, params: { streamId }, body }) => {
        await banViewers(tx, viewer, streamId, body.userIds, isBan)
        return { roots: { videoStreamings: [streamId] } }
      },
    )
}
