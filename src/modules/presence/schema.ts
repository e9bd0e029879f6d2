import { Type, type Static } from 'typebox'
import { OneOf, Text, Timestamp } from '../../kernel/schema.ts'

/** When a user was last heard of; without a time for whoever was not, or does not want it known. */
export const Presence = Type.Object({ userId: Type.String(), lastHeartbeat: Type.Optional(Timestamp) })
export type Presence = Static<typeof Presence>

export const Presences = Type.Object({ presences: Type.Array(Presence) })

/** The description and the clients spell the time differently. */
export const PresenceCount = Type.Object({
  count: Type.Integer(),
  referenceTimeStamp: Timestamp,
  referenceTimestamp: Timestamp,
})

export const UserPresenceSetting = Type.Object({
  enabled: Type.Boolean(),
  enabledAt: Type.Optional(Timestamp),
})
export type UserPresenceSetting = Static<typeof UserPresenceSetting>

export const PresenceSettings = Type.Object({
  user: UserPresenceSetting,
  network: Type.Object({
    enabled: Type.Boolean(),
    // Both in minutes.
    heartbeatInterval: Type.Integer(),
    presenceSyncInterval: Type.Integer(),
    updatedAt: Timestamp,
  }),
})

export const RoomViewers = Type.Object({
  viewers: Type.Array(Type.Object({ userId: Type.String(), joinedAt: Timestamp })),
  limit: Type.Integer(),
  total: Type.Integer(),
})

export const OrderQuery = Type.Object({ orderBy: Type.Optional(OneOf(['asc', 'desc'], { default: 'desc' })) })
export const ListPresencesQuery = Type.Object({
  userIds: Type.Array(Text(300, 1), { minItems: 1, maxItems: 220 }),
})
export const SettingBody = Type.Object({ enabled: Type.Boolean() })
export const RoomIdParams = Type.Object({ roomId: Text(100, 1) })
export const ChannelIdParams = Type.Object({ channelId: Text(100, 1) })
