import type { Db } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { notifiable, type NotifiableName } from './events.ts'
import { findPlace, networkSetting, userSetting } from './place.ts'
import { moduleKey, presentSetting } from './present.ts'
import type { NotificationSetting, SettingQuery } from './schema.ts'
import { findNotificationMode, findSetting } from './store.ts'

/** What holds for the viewer at a place. */
export async function readSetting(db: Db, viewer: Viewer, query: SettingQuery): Promise<NotificationSetting> {
  const place = await findPlace(db, viewer, query)
  const [own, user, network, mode] = await Promise.all([
    findSetting(db, place),
    findSetting(db, userSetting(viewer.id)),
    findSetting(db, networkSetting),
    findNotificationMode(db, place),
  ])
  return presentSetting(place.level, { own, user, network }, mode === 'default')
}

/** What the network says of an event: whether it is on, and its texts. */
export type Templates = (name: NotifiableName) => { isOn: boolean; title: string; body: string }

/** What the network says of events. */
export async function readTemplates(db: Db): Promise<Templates> {
  const { isPushNotifiable, events } = await findSetting(db, networkSetting)
  const isOn = (key: string) => events[key]?.isPushNotifiable !== false
  return (name) => {
    const { module, title, body, isCaseOf = [] } = notifiable(name)
    const keys = [name, moduleKey(module), ...isCaseOf]
    const { titleTemplate = title, bodyTemplate = body } = events[name] ?? {}
    return { isOn: isPushNotifiable !== false && keys.every(isOn), title: titleTemplate, body: bodyTemplate }
  }
}

/** The keys under which people may have switched an event off. */
export function settingNamesOf(name: NotifiableName): string[] {
  const { module, isCaseOf = [] } = notifiable(name)
  return [name, ...isCaseOf, moduleKey(module)]
}
