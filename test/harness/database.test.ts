import { expect, inject, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import { withClient } from './postgres.ts'

const count = (url: string, table: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`)
    return rows[0]?.count
  })

it('clones migrated databases that know nothing of each other, many at once', async () => {
  const databases = await Promise.all(Array.from({ length: 16 }, () => createTestDatabase()))
  const [first, second] = databases as [(typeof databases)[0], (typeof databases)[0]]
  expect(new Set(databases.map(({ url }) => url)).size).toBe(16)
  expect(await count(first.url, 'migrations')).toBeGreaterThan(0)
  await withClient(first.url, (client) => client.query('CREATE TABLE mine AS SELECT 1 AS one'))
  expect(await count(first.url, 'mine')).toBe(1)
  await expect(count(second.url, 'mine')).rejects.toThrow('does not exist')
  await Promise.all(databases.map((database) => database.drop()))
})

it('drops a database although someone is connected, and twice without complaint', async () => {
  const database = await createTestDatabase()
  await withClient(database.url, async (client) => {
    const lost = new Promise((resolve) => client.on('error', resolve))
    await database.drop()
    await lost
  })
  await database.drop()
  const { adminUrl } = inject('postgres')
  const name = new URL(database.url).pathname.slice(1)
  expect(await count(adminUrl, `pg_database WHERE datname = '${name}'`)).toBe(0)
})

it('lets no one into the template', async () => {
  const { adminUrl, template } = inject('postgres')
  const url = new URL(adminUrl)
  url.pathname = `/${template}`
  await expect(withClient(url.href, (client) => client.query('SELECT 1'))).rejects.toThrow(
    'not currently accepting',
  )
})
