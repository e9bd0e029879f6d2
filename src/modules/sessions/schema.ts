import { Type, type Static } from 'typebox'
import { OneOf, Text, Timestamp } from '../../kernel/schema.ts'

const DeviceInfo = Type.Object({
  kind: Type.Optional(OneOf(['ios', 'android', 'web', 'node'])),
  // A browser names itself here with its whole user agent, which embedded ones lengthen at will.
  model: Type.Optional(Text(1000)),
  sdkVersion: Type.Optional(Text(30)),
})

const Device = {
  deviceId: Text(150, 1),
  deviceInfo: Type.Optional(DeviceInfo),
}

export const CreateSessionBody = Type.Object({
  userId: Text(50, 1),
  displayName: Type.Optional(Text(100)),
  authToken: Type.Optional(Text(4096)),
  ...Device,
})
export type CreateSessionBody = Static<typeof CreateSessionBody>

export const GuestSessionBody = Type.Object({
  authSignature: Type.Optional(Text(500)),
  authSignatureExpiresAt: Type.Optional(Timestamp),
  ...Device,
})
export type GuestSessionBody = Static<typeof GuestSessionBody>

export const RefreshSessionBody = Type.Object({ refreshToken: Text(200, 1) })

/** Beside the envelope of the signed-in user. */
export const SessionExtra = {
  accessToken: Type.String(),
  refreshToken: Type.String(),
  issuedAt: Timestamp,
  expiresAt: Timestamp,
  userType: OneOf(['signed-in', 'visitor', 'bot']),
  lastCachePurge: Timestamp,
}

export const SessionCheck = Type.Object({ lastCachePurge: Timestamp })

export const RevokeQuery = Type.Object({
  userId: Type.Optional(Text(50, 1)),
  isPublic: Type.Optional(Type.Boolean({ default: true })),
})
export const RevokeUserParams = Type.Object({ userId: Text(50, 1) })
export const RevokeUserQuery = Type.Object({ isPublic: Type.Optional(Type.Boolean({ default: true })) })

export const AuthTokenBody = Type.Object({ userId: Text(50, 1) })
export type AuthTokenBody = Static<typeof AuthTokenBody>
export const AuthTokenQuery = Type.Object({ userId: Text(50, 1) })
