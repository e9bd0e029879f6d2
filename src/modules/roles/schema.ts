import { Type, type Static } from 'typebox'
import { StringList, Timestamp } from '../../kernel/schema.ts'

export const Role = Type.Object({
  _id: Type.String(),
  roleId: Type.String(),
  publicId: Type.String(),
  networkId: Type.String(),
  displayName: Type.String(),
  permissions: StringList,
  isDeleted: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Role = Static<typeof Role>
