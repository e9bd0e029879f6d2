// Generated from the migrations by `npm run db:types`; do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** Any JSON value. Written as text (`JSON.stringify`), so that it is stored as it came. */
export type Json = string | number | boolean | null | { [key: string]: Json } | Json[]
export type RequiredJson = ColumnType<Json, string, string>
export type DefaultJson = ColumnType<Json, string | undefined, string>
export type NullableJson = ColumnType<Json | null, string | null | undefined, string | null>

export interface Files {
  id: string
  userId: string
  type: string
  objectKey: string
  name: string
  extension: string
  mimeType: string
  size: number
  metadata: DefaultJson
  altText: string | null
  accessType: Generated<string>
  feedType: string | null
  status: Generated<string>
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface Flags {
  id: string
  referenceType: string
  referenceId: string
  userId: string
  reason: string | null
  detail: string | null
  createdAt: Date
}

export interface NetworkKeys {
  key: string
  kind: string
  createdAt: Date
}

export interface NetworkSettings {
  section: string
  value: RequiredJson
  updatedAt: Date
}

export interface OutboxDeadLetters {
  id: string
  sink: string
  position: number
  name: string
  error: string
  failedAt: Date
}

export interface OutboxEvents {
  seq: GeneratedAlways<number>
  position: number | null
  id: string
  name: string
  audiences: string[]
  actorId: string | null
  subject: RequiredJson
  createdAt: Date
}

export interface OutboxHead {
  onlyRow: Generated<boolean>
  position: Generated<number>
  handled: Generated<number>
}

export interface Reactions {
  id: string
  referenceType: string
  referenceId: string
  userId: string
  name: string
  createdAt: Date
}

export interface Roles {
  id: string
  roleId: string
  displayName: string
  permissions: string[]
  isBuiltIn: Generated<boolean>
  isDeleted: Generated<boolean>
  createdAt: Date
  updatedAt: Date
}

export interface Sessions {
  id: string
  userId: string
  deviceId: string | null
  deviceInfo: DefaultJson
  refreshHash: string | null
  expiresAt: Date
  revokedAt: Date | null
  createdAt: Date
}

export interface SigningKeys {
  keyId: string
  algorithm: string
  privateJwk: RequiredJson
  publicJwk: RequiredJson
  createdAt: Date
  retiredAt: Date | null
}

export interface Users {
  id: string
  userId: string
  kind: Generated<string>
  displayName: string | null
  profileHandle: string | null
  description: Generated<string>
  avatarFileId: string | null
  avatarCustomUrl: string | null
  roles: Generated<string[]>
  metadata: DefaultJson
  tags: Generated<string[]>
  flagCount: Generated<number>
  isGlobalBan: Generated<boolean>
  isBrand: Generated<boolean>
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface DB {
  files: Files
  flags: Flags
  networkKeys: NetworkKeys
  networkSettings: NetworkSettings
  outboxDeadLetters: OutboxDeadLetters
  outboxEvents: OutboxEvents
  outboxHead: OutboxHead
  reactions: Reactions
  roles: Roles
  sessions: Sessions
  signingKeys: SigningKeys
  users: Users
}
