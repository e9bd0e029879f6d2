import { Type, type Static } from 'typebox'
import { OneOf, StringList, Text } from '../../kernel/schema.ts'
import { modules, notifiableNames } from './events.ts'

/** `network` is for admins: what holds for everybody. */
export const levels = ['user', 'channel', 'community', 'network'] as const
export type Level = (typeof levels)[number]

const place = {
  level: OneOf(levels),
  channelId: Type.Optional(Text(900, 1)),
  communityId: Type.Optional(Text(900, 1)),
}
export const SettingQuery = Type.Object(place)
export type SettingQuery = Static<typeof SettingQuery>

const RoleIds = Type.Optional(Type.Array(Text(900, 1), { maxItems: 10 }))

/** Of one event, or, without a name, of a whole module. */
export const EventBody = Type.Object({
  name: Type.Optional(OneOf([...notifiableNames, ...modules])),
  moduleName: Type.Optional(OneOf(modules)),
  isPushNotifiable: Type.Optional(Type.Boolean()),
  titleTemplate: Type.Optional(Text(1000)),
  bodyTemplate: Type.Optional(Text(5000)),
  listenFromRoleIds: RoleIds,
  ignoreFromRoleIds: RoleIds,
})
export type EventBody = Static<typeof EventBody>

export const SettingBody = Type.Object({
  ...place,
  isPushNotifiable: Type.Optional(Type.Boolean()),
  notifiableEvents: Type.Optional(Type.Array(EventBody, { minItems: 1, maxItems: 7 })),
})
export type SettingBody = Static<typeof SettingBody>

export const NotificationSetting = Type.Object({
  /** What was said at this level, on where nothing was. */
  isPushNotifiable: Type.Boolean(),
  /** What the user said for everything. */
  isUserEnabled: Type.Boolean(),
  notifiableEvents: Type.Array(
    Type.Object({
      name: Type.String(),
      moduleName: Type.String(),
      eventName: Type.String(),
      isPushNotifiable: Type.Boolean(),
      parameters: StringList,
      titleTemplate: Type.String(),
      bodyTemplate: Type.String(),
      listenFromRoleIds: StringList,
      ignoreFromRoleIds: StringList,
      /** What the admins said of it for everybody. */
      isNetworkEnabled: Type.Boolean(),
    }),
  ),
})
export type NotificationSetting = Static<typeof NotificationSetting>

export const Saved = Type.Object({ status: Type.Literal('success') })
