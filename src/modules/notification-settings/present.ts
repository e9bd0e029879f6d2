import { eventsOf, modules, notifiable, notifiableNames, type NotifiableName } from './events.ts'
import type { Level, NotificationSetting } from './schema.ts'
import type { SettingRow } from './store.ts'

/** The key under which what is said of a whole module is kept. */
export function moduleKey(module: string): string {
  return `module:${module}`
}

/** What holds at a level, beside what the user and the network say. */
export function presentSetting(
  level: Level,
  { own, user, network }: { own: SettingRow; user: SettingRow; network: SettingRow },
  isOnAtFirst: boolean,
): NotificationSetting {
  const isNetworkOn = (key: string) =>
    network.isPushNotifiable !== false && network.events[key]?.isPushNotifiable !== false
  const named = (name: NotifiableName) => {
    const { module, parameters, title, body } = notifiable(name)
    const { isPushNotifiable = true, listenFromRoleIds = [], ignoreFromRoleIds = [] } = own.events[name] ?? {}
    const { titleTemplate = title, bodyTemplate = body } = network.events[name] ?? {}
    return {
      name,
      moduleName: module,
      eventName: name,
      isPushNotifiable,
      parameters: [...parameters],
      titleTemplate,
      bodyTemplate,
      listenFromRoleIds,
      ignoreFromRoleIds,
      isNetworkEnabled: isNetworkOn(name) && isNetworkOn(moduleKey(module)),
    }
  }
  const whole = (module: string) => {
    const said = own.events[moduleKey(module)] ?? {}
    return {
      name: module,
      moduleName: module,
      eventName: module,
      isPushNotifiable: said.isPushNotifiable ?? true,
      parameters: [],
      titleTemplate: '',
      bodyTemplate: '',
      listenFromRoleIds: said.listenFromRoleIds ?? [],
      ignoreFromRoleIds: said.ignoreFromRoleIds ?? [],
      isNetworkEnabled: isNetworkOn(moduleKey(module)),
    }
  }
  return {
    isPushNotifiable: own.isPushNotifiable ?? isOnAtFirst,
    isUserEnabled: user.isPushNotifiable ?? true,
    notifiableEvents: [
      ...(level === 'user' || level === 'network' ? modules.map(whole) : []),
      ...shownAt(level, own).map(named),
    ],
  }
}

// Clients read a module's switch by its name, so of single events a user sees those they spoke of.
function shownAt(level: Level, own: SettingRow): NotifiableName[] {
  if (level === 'network') return notifiableNames
  if (level === 'user') return notifiableNames.filter((name) => Object.hasOwn(own.events, name))
  return eventsOf(level)
}
