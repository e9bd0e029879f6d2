import type { Routes } from '../../kernel/http/routes.ts'
import { createCategory, deleteCategory, updateCategory } from './actions.ts'
import { queryCategories, requireCategory } from './queries.ts'
import { categoryShape } from './resource.ts'
import {
  CategoryDeleted,
  CategoryIdParams,
  CreateCategoryBody,
  ListCategoriesQuery,
  QueryCategoriesQuery,
  UpdateCategoryBody,
} from './schema.ts'

const tag = 'Community category'
const path = '/api/v3/community-categories'
const params = CategoryIdParams
// Described inside `data`, read at the top.
const answers = categoryShape
const wrapped = true

export function categoryRoutes({ read, write }: Routes): void {
  read(
    'GET',
    path,
    { summary: 'Query categories', tag, query: QueryCategoriesQuery, answers, wrapped, paged: true },
    async (db, { query }) => {
      const { rows, paging } = await queryCategories(db, query)
      return { roots: { categories: rows.map((row) => row.id) }, paging }
    },
  )

  read(
    'GET',
    `${path}/list`,
    { summary: 'List categories by id', tag, query: ListCategoriesQuery, answers, wrapped },
    async (_db, { query }) => ({ roots: { categories: query.categoryIds ?? [] } }),
  )

  read(
    'GET',
    `${path}/:categoryId`,
    { summary: 'Get a category', tag, params, answers, wrapped },
    async (db, request) => ({
      roots: { categories: [await requireCategory(db, request.params.categoryId)] },
    }),
  )

  write(
    'POST',
    path,
    { summary: 'Create a category', tag, body: CreateCategoryBody, answers, wrapped },
    async (tx, { viewer, body }) => ({ roots: { categories: [await createCategory(tx, viewer, body)] } }),
  )

  write(
    'PUT',
    `${path}/:categoryId`,
    { summary: 'Update a category', tag, params, body: UpdateCategoryBody, answers, wrapped },
    async (tx, { viewer, params: { categoryId }, body }) => ({
      roots: { categories: [await updateCategory(tx, viewer, categoryId, body)] },
    }),
  )

  write(
    'DELETE',
    `${path}/:categoryId`,
    { summary: 'Delete a category', tag, params, answers: { schema: CategoryDeleted } },
    async (tx, { viewer, params: { categoryId } }) => {
      await deleteCategory(tx, viewer, categoryId)
      return { body: { status: 'success', success: true, data: { success: true } } }
    },
  )
}
