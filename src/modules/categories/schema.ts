import { Type, type Static } from 'typebox'
import { Metadata, Nullable, Timestamp } from '../../kernel/schema.ts'

export const Category = Type.Object({
  categoryId: Type.String(),
  name: Type.String(),
  avatarFileId: Nullable(Type.String()),
  metadata: Metadata,
  isDeleted: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Category = Static<typeof Category>
