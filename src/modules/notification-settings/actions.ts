import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { modules } from './events.ts'
import { findPlace } from './place.ts'
import { moduleKey } from './present.ts'
import type { EventBody, Level, SettingBody } from './schema.ts'
import { findSetting, lockSetting, updateSetting, type EventSettings } from './store.ts'

/** Changes what is said of a place; what is not given stays. Templates hold for everybody, so only admins give them. */
export async function changeSetting(tx: Tx, viewer: Viewer, body: SettingBody): Promise<void> {
  const place = await findPlace(tx, viewer, body)
  await lockSetting(tx, place, now())
  const before = await findSetting(tx, place)
  const events: EventSettings = { ...before.events }
  for (const change of body.notifiableEvents ?? []) {
    const { name: _name, moduleName: _module, ...said } = change
    const key = keyOf(body.level, change)
    events[key] = { ...events[key], ...said }
  }
  await updateSetting(tx, place, {
    isPushNotifiable: body.isPushNotifiable ?? before.isPushNotifiable,
    events,
  })
}

function keyOf(level: Level, { name, moduleName, titleTemplate, bodyTemplate }: EventBody): string {
  if (level !== 'network' && (titleTemplate !== undefined || bodyTemplate !== undefined)) {
    fail('permissionDenied', 'templates are for the level network')
  }
  const isModule = (modules as readonly (string | undefined)[]).includes(name)
  if (name !== undefined && !isModule) return name
  return moduleKey(moduleName ?? name ?? fail('invalid', 'an event must have a name or moduleName'))
}
