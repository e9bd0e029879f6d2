import type { Routes } from '../../kernel/http/routes.ts'
import { iso } from '../../kernel/schema.ts'
import { markTraySeen } from './actions.ts'
import { readTraySeen } from './queries.ts'
import { MarkTraySeenBody, TrayMarked, TraySeen } from './schema.ts'

const tag = 'Notification tray'
const path = '/api/v1/notification-tray/tray/seen'

export function notificationTrayRoutes({ read, write }: Routes): void {
  read(
    'GET',
    path,
    { summary: 'Read until when the tray was seen', tag, answers: { schema: TraySeen } },
    async (db, { viewer }) => ({ body: await readTraySeen(db, viewer) }),
  )
  write(
    'POST',
    path,
    { summary: 'Mark the tray as seen', tag, body: MarkTraySeenBody, answers: { schema: TrayMarked } },
    async (tx, { viewer, body }) => ({
      body: { lastSeenAt: iso(await markTraySeen(tx, viewer, body.lastSeenAt)) },
    }),
  )
}
