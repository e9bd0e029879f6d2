import type { Db, Tx } from '../../kernel/database.ts'
import type { EventBody, Level } from './schema.ts'

/** What was said of one event or module. */
export type EventSetting = Omit<EventBody, 'name' | 'moduleName'>
export type EventSettings = Record<string, EventSetting>

export interface SettingKey {
  /** Empty at the level `network`. */
  userId: string
  level: Level
  /** Internal id of the channel or community; else empty. */
  targetId: string
}

export interface SettingRow {
  isPushNotifiable: boolean | null
  events: EventSettings
}

export async function findSetting(db: Db, { userId, level, targetId }: SettingKey): Promise<SettingRow> {
  const row = await db
    .selectFrom('notificationSettings')
    .select(['isPushNotifiable', 'events'])
    .where('userId', '=', userId)
    .where('level', '=', level)
    .where('targetId', '=', targetId)
    .executeTakeFirst()
  return row
    ? { isPushNotifiable: row.isPushNotifiable, events: row.events as EventSettings }
    : { isPushNotifiable: null, events: {} }
}

/** Makes sure there is a line, and locks it until `tx` ends: of two changes at once neither is lost. */
export async function lockSetting(
  tx: Tx,
  { userId, level, targetId }: SettingKey,
  updatedAt: Date,
): Promise<void> {
  await tx
    .insertInto('notificationSettings')
    .values({ userId, level, targetId, updatedAt })
    .onConflict((c) => c.columns(['userId', 'level', 'targetId']).doUpdateSet({ updatedAt }))
    .execute()
}

export async function updateSetting(
  tx: Tx,
  { userId, level, targetId }: SettingKey,
  { isPushNotifiable, events }: SettingRow,
): Promise<void> {
  await tx
    .updateTable('notificationSettings')
    .set({ isPushNotifiable, events: JSON.stringify(events) })
    .where('userId', '=', userId)
    .where('level', '=', level)
    .where('targetId', '=', targetId)
    .execute()
}

/** How a channel or community notifies those who said nothing of it. */
export async function findNotificationMode(db: Db, { level, targetId }: SettingKey): Promise<string> {
  if (level !== 'channel' && level !== 'community') return 'default'
  const row = await (
    level === 'channel'
      ? db.selectFrom('channels').select('notificationMode').where('id', '=', targetId)
      : db.selectFrom('communities').select('notificationMode').where('id', '=', targetId)
  ).executeTakeFirst()
  return row?.notificationMode ?? 'default'
}
