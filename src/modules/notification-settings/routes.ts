import type { Routes } from '../../kernel/http/routes.ts'
import { changeSetting } from './actions.ts'
import { readSetting } from './queries.ts'
import { NotificationSetting, Saved, SettingBody, SettingQuery } from './schema.ts'

const tag = 'Notification'
const path = '/api/v3/notification/setting'

export function notificationSettingRoutes({ read, write }: Routes): void {
  read(
    'GET',
    path,
    {
      summary: 'Read what is notified of',
      tag,
      query: SettingQuery,
      answers: { schema: NotificationSetting },
    },
    async (db, { viewer, query }) => ({ body: await readSetting(db, viewer, query) }),
  )
  write(
    'POST',
    path,
    { summary: 'Change what is notified of', tag, body: SettingBody, answers: { schema: Saved } },
    async (tx, { viewer, body }) => {
      await changeSetting(tx, viewer, body)
      return { body: { status: 'success' } }
    },
  )
}
