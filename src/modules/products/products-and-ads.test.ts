import { expect, it } from 'vitest'
import { startWithPeople } from '../../../test/harness/people.ts'

const { alice } = await startWithPeople()

it('has no products', async () => {
  const { status, body } = await alice.get('/api/v1/products/search', {
    query: 'shoe',
    isActive: true,
    sortBy: 'productName',
    sortOrder: 'asc',
    options: { limit: 20 },
  })
  expect([status, body]).toEqual([200, { products: [], paging: {} }])
  const one = await alice.get('/api/v1/products/shoe-1')
  expect([one.status, one.body.code]).toEqual([404, 400400])
})

it.each([{ sortBy: 'price' }, { sortOrder: 'up' }, { options: { limit: 101 } }])(
  'refuses %j',
  async (query) => {
    const { status, body } = await alice.get('/api/v1/products/search', query)
    expect([status, body.code]).toEqual([422, 500000])
  },
)

it('has no ads', async () => {
  const { status, body } = await alice.get('/api/v1/ads/me')
  expect([status, body]).toEqual([
    200,
    { ads: [], advertisers: [], files: [], settings: { enabled: false, maxActiveAds: 0, frequency: {} } },
  ])
})
