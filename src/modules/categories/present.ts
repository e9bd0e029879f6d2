import { iso } from '../../kernel/schema.ts'
import type { Category } from './schema.ts'
import type { CategoryRow } from './store.ts'

export function presentCategory(row: CategoryRow): Category {
  return {
    categoryId: row.id,
    name: row.name,
    avatarFileId: row.avatarFileId,
    metadata: row.metadata as Category['metadata'],
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
