import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { presentCategory } from './present.ts'
import { Category } from './schema.ts'
import { findCategories, type CategoryRow } from './store.ts'

/** Categories, deleted ones too: communities may still name them. */
const categoryResource: Resource<CategoryRow> = {
  name: 'categories',
  load: async (db, ids) => byId(await findCategories(db, ids), (row) => row.id),
  references: (row) => ({ files: [row.avatarFileId] }),
}

export const categorySlots = { categories: slot(categoryResource, Category, presentCategory) }
export const categoryShape = shape('categories', 'files')
