import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'
import { WatchingBody } from './schema.ts'
import { recordWatching } from './watching.ts'

/** What clients report of who watched; visitors watch too. */
export function watchingRoutes({ write }: Routes): void {
  write(
    'POST',
    '/api/v3/user-event/room',
    {
      summary: 'Report how long rooms were watched',
      tag: 'Room',
      body: WatchingBody,
      answers: { schema: Type.Object({ ok: Type.Boolean() }) },
      openToVisitors: true,
    },
    async (tx, { viewer, body }) => {
      await recordWatching(tx, viewer, body.rooms)
      return { body: { ok: true } }
    },
  )
}
