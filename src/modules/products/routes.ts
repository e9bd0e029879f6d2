import { Type } from 'typebox'
import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { PageQuery, Paging, parsePage } from '../../kernel/paging.ts'
import { OneOf, Text } from '../../kernel/schema.ts'

const tag = 'Product'
const Products = Type.Object({ products: Type.Array(Type.Never()) })
const SearchProductsQuery = Type.Object({
  ...PageQuery.properties,
  query: Type.Optional(Text(1000)),
  keyword: Type.Optional(Text(1000)),
  isActive: Type.Optional(Type.Boolean()),
  isDeleted: Type.Optional(Type.Boolean()),
  sortBy: Type.Optional(OneOf(['createdAt', 'updatedAt', 'productName'])),
  sortOrder: Type.Optional(OneOf(['asc', 'desc'])),
})

export function productRoutes({ read }: Routes): void {
  read(
    'GET',
    '/api/v1/products/search',
    {
      summary: 'Search products',
      tag,
      query: SearchProductsQuery,
      answers: { schema: Type.Object({ ...Products.properties, paging: Paging }) },
    },
    async (_db, { query }) => {
      parsePage(query)
      return { body: { products: [], paging: {} } }
    },
  )
  read(
    'GET',
    '/api/v1/products/:productId',
    {
      summary: 'Get a product',
      tag,
      params: Type.Object({ productId: Text(900, 1) }),
      answers: { schema: Products },
    },
    async () => fail('notFound'),
  )
}
