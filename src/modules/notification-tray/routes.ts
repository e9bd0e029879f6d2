import type { Routes } from '../../kernel/http/routes.ts'
import { PageQuery } from '../../kernel/paging.ts'
import { iso } from '../../kernel/schema.ts'
import { markItemsSeen, markTraySeen } from './actions.ts'
import { queryTray, readTraySeen } from './queries.ts'
import { itemFor, trayShape } from './resource.ts'
import { ItemsMarked, MarkItemsSeenBody, MarkTraySeenBody, TrayMarked, TraySeen } from './schema.ts'

const tag = 'Notification tray'
const tray = '/api/v1/notification-tray'

export function notificationTrayRoutes({ read, write }: Routes): void {
  read(
    'GET',
    tray,
    { summary: 'List what happened', tag, query: PageQuery, answers: trayShape, paged: true },
    async (db, { viewer, query }) => {
      const { ids, paging } = await queryTray(db, viewer, query)
      return { roots: { notificationTrayItems: ids.map((id) => itemFor(viewer.id, id)) }, paging }
    },
  )
  write(
    'POST',
    `${tray}/items/seen`,
    { summary: 'Mark items as seen', tag, body: MarkItemsSeenBody, answers: { schema: ItemsMarked } },
    async (tx, { viewer, body }) => {
      const marked = await markItemsSeen(tx, viewer, body)
      return {
        body: { trayItems: marked.map(({ id, lastSeenAt }) => ({ id, lastSeenAt: iso(lastSeenAt) })) },
      }
    },
  )
  read(
    'GET',
    `${tray}/tray/seen`,
    { summary: 'Read until when the tray was seen', tag, answers: { schema: TraySeen } },
    async (db, { viewer }) => ({ body: await readTraySeen(db, viewer) }),
  )
  write(
    'POST',
    `${tray}/tray/seen`,
    { summary: 'Mark the tray as seen', tag, body: MarkTraySeenBody, answers: { schema: TrayMarked } },
    async (tx, { viewer, body }) => ({
      body: { lastSeenAt: iso(await markTraySeen(tx, viewer, body.lastSeenAt)) },
    }),
  )
}
