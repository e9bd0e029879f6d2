import { Type, type Static } from 'typebox'
import { OneOf, Text } from '../../kernel/schema.ts'

/** Browsers register as `web`, their push subscription as JSON being the token. */
const platforms = ['android', 'ios', 'web'] as const

/** Subscriptions of browsers are longer than the tokens of phones. */
export const longestToken = { android: 1000, ios: 1000, web: 4000 } as const

export const RegisterBody = Type.Object({
  deviceId: Text(150, 1),
  platform: OneOf(platforms),
  token: Text(longestToken.web, 1),
  userId: Text(900, 1),
  /** Which service the token is of; by default APNs for `ios`, FCM for `android`. */
  provider: Type.Optional(Type.String({ maxLength: 100 })),
})
export type RegisterBody = Static<typeof RegisterBody>

export const UnregisterQuery = Type.Object({
  userId: Type.Optional(Text(900, 1)),
  deviceId: Type.Optional(Text(150, 1)),
})
export type UnregisterQuery = Static<typeof UnregisterQuery>

/** One client sends an empty object for its device's id: that is the device of the session. */
export const UnregisterBody = Type.Object({
  userId: Type.Optional(Type.Unknown()),
  deviceId: Type.Optional(Type.Unknown()),
})
export type UnregisterBody = Static<typeof UnregisterBody>

export const Done = Type.Object({ status: Type.Literal('success'), data: Type.Object({}) })
