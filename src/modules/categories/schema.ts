import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Metadata, Nullable, OneOf, Text, Timestamp } from '../../kernel/schema.ts'

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

export const CreateCategoryBody = Type.Object({
  name: Text(1000, 1),
  metadata: Type.Optional(Metadata),
  avatarFileId: Type.Optional(Nullable(Text(50))),
})
export type CreateCategoryBody = Static<typeof CreateCategoryBody>

export const UpdateCategoryBody = Type.Partial(CreateCategoryBody)
export type UpdateCategoryBody = Static<typeof UpdateCategoryBody>

export const CategoryIdParams = Type.Object({ categoryId: Text(50, 1) })

export const ListCategoriesQuery = Type.Object({
  categoryIds: Type.Optional(Type.Array(Text(50), { maxItems: 100, default: [] })),
})

export const QueryCategoriesQuery = Type.Object({
  ...PageQuery.properties,
  sortBy: Type.Optional(OneOf(['firstCreated', 'lastCreated', 'name'], { default: 'name' })),
  isDeleted: Type.Optional(Type.Boolean()),
})
export type QueryCategoriesQuery = Static<typeof QueryCategoriesQuery>

/** The answer to a deletion, in both forms that are read. */
export const CategoryDeleted = Type.Object({
  status: Type.Literal('success'),
  success: Type.Boolean(),
  data: Type.Object({ success: Type.Boolean() }),
})
