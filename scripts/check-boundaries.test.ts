import { createRequire } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import { checkBoundaries, findUnread } from './check-boundaries.ts'
import { writeTree, type FixtureTree } from './fixture-tree.ts'

let tree: FixtureTree | undefined
afterEach(() => tree?.remove())

const users = 'src/modules/users'
const posts = 'src/modules/posts'
const value = 'export const value = 1\n'

// A tree where every import is allowed; each case below adds one that is not.
const sound: Record<string, string> = {
  'db/tables.ts': 'export interface DB { users: { id: string } }\n',
  'src/main.ts': `import { value } from './app.ts'\nconsole.log(value)\n`,
  'src/app.ts': `export { value } from './modules/posts/index.ts'\n`,
  'src/commands/token.ts': `export { value } from '../modules/users/index.ts'\n`,
  'src/platform/clock.ts': value,
  'src/platform/disk.ts': `import { readFile } from 'node:fs/promises'\nimport pg from 'pg'\nexport const value = [readFile, pg]\n`,
  'src/kernel/events.ts': `import { value } from '../platform/clock.ts'\nimport type { DB } from '../../db/tables.ts'\nexport const event = (db: DB) => [value, db]\n`,
  'src/kernel/outbox/store.ts': `import { sql } from 'kysely'\nexport const value = sql\n`,
  'src/delivery/webhooks/store.ts': `import { sql } from 'kysely'\nexport const value = sql\n`,
  [`${users}/index.ts`]: `export { value } from './actions.ts'\n`,
  [`${users}/actions.ts`]: value,
  [`${users}/store.ts`]: `import { sql } from 'kysely'\nexport interface UserRow { id: string }\nexport const value = sql\n`,
  [`${users}/present.ts`]: `import type { Kysely } from 'kysely'\nimport type { UserRow } from './store.ts'\nexport const present = (row: UserRow, db: Kysely<unknown>) => [row, db]\n`,
  [`${users}/present.test.ts`]: `import { present } from './present.ts'\nimport { value } from '../../../test/harness/client.ts'\nimport { it } from 'vitest'\nit('presents', () => void [present, value])\n`,
  [`${posts}/index.ts`]: `import { value as other } from '../users/index.ts'\nexport const value = other\n`,
  [`${posts}/schema.ts`]: `import { Type } from 'typebox'\nexport const value = Type\n`,
  'test/harness/client.ts': `export { value } from '../../src/app.ts'\n`,
}

const cases: [rule: string, file: string, text: string][] = [
  ['no-cycles', `${posts}/actions.ts`, `import type { A } from './queries.ts'\nexport type B = A\n`],
  ['resolvable', `${posts}/actions.ts`, `export { value } from './gone.ts'\n`],
  ['platform-knows-nothing', 'src/platform/media.ts', `export { event } from '../kernel/events.ts'\n`],
  ['kernel-knows-no-resource', 'src/kernel/viewer.ts', `export { value } from '../modules/users/index.ts'\n`],
  ['slices-meet-at-the-door', `${posts}/actions.ts`, `export { value } from '../users/actions.ts'\n`],
  ['slices-meet-at-the-door', `${posts}/actions.ts`, `export type { UserRow } from '../users/store.ts'\n`],
  ['delivery-knows-no-slice', 'src/delivery/sink.ts', `export { value } from '../modules/users/index.ts'\n`],
  ['app-lists-the-slices', 'src/config.ts', `export { value } from './modules/users/index.ts'\n`],
  ['pure-no-store', `${users}/policy.ts`, `export { value } from './store.ts'\n`],
  ['pure-no-platform', `${users}/user-present.ts`, `export { value } from '../../platform/clock.ts'\n`],
  ['pure-no-node', `${users}/events.ts`, `export { inspect } from 'node:util'\n`],
  ['pure-no-node', `${users}/present/card.ts`, `export { Type } from 'typebox'\n`],
  ['routes-no-store', `${users}/routes.ts`, `export { value } from './store.ts'\n`],
  ['sql-in-stores', `${users}/queries.ts`, `export { sql } from 'kysely'\n`],
  [
    'sql-in-stores',
    `${users}/resource.ts`,
    `import type { Kysely } from 'kysely'\nimport { sql } from 'kysely'\nexport const value = (db: Kysely<unknown>) => [db, sql]\n`,
  ],
  [
    'sql-in-stores',
    `${users}/counts.ts`,
    `import { type Kysely, sql } from 'kysely'\nexport const value = (db: Kysely<unknown>) => [db, sql]\n`,
  ],
  [
    'slices-meet-at-the-door',
    `${posts}/queries.ts`,
    `export const value = () => import('../users/store.ts')\n`,
  ],
  ['sql-in-stores', 'src/kernel/database.ts', `export { sql } from 'kysely'\n`],
  ['packages-in-platform', `${users}/store.ts`, `export { default } from 'pg'\n`],
  [
    'packages-in-platform',
    'src/delivery/push.ts',
    `import type webPush from 'web-push'\nexport type P = typeof webPush\n`,
  ],
  ['effects-in-platform', `${users}/actions.ts`, `export { readFile as value } from 'node:fs/promises'\n`],
  ['no-tests-in-sources', `${users}/actions.ts`, `export { value } from '../../../test/harness/client.ts'\n`],
  ['no-dev-packages-in-sources', 'src/platform/check.ts', `export { it } from 'vitest'\n`],
]

describe('boundaries', () => {
  it('accepts imports that keep the rules', async () => {
    tree = writeTree(sound)
    const report = await checkBoundaries(tree.root)
    expect(report.problems).toEqual([])
    expect(report.modules).toBe(Object.keys(sound).length)
  })

  it.each(cases)('%s: refuses %s', async (rule, file, text) => {
    const back = `import type { B } from './actions.ts'\nexport type A = B\n`
    const ring: Record<string, string> = rule === 'no-cycles' ? { [`${posts}/queries.ts`]: back } : {}
    tree = writeTree({ ...sound, ...ring, [file]: text })
    const { problems } = await checkBoundaries(tree.root)
    expect(
      problems.filter((problem) => problem.startsWith(`${file} -> `) && problem.includes(` ${rule}. `)),
    ).not.toEqual([])
  })

  it('has a case for every rule', () => {
    const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs')
    const rules = forbidden.map(({ name }: { name: string }) => name)
    expect([...new Set(cases.map(([rule]) => rule))].sort()).toEqual(rules.sort())
  })

  it('fails on a tree without files', async () => {
    tree = writeTree({ 'src/readme.md': '' })
    expect((await checkBoundaries(tree.root)).problems).toEqual([
      expect.stringContaining('no TypeScript file'),
    ])
  })

  it('fails when the cruiser saw fewer files, or fewer imports, than there are', () => {
    tree = writeTree(sound)
    expect(findUnread(tree.root, ['src/app.ts'], new Map())).toContain(
      'src/app.ts: not read by dependency-cruiser',
    )
    expect(findUnread(tree.root, ['src/app.ts'], new Map([['src/app.ts', 0]]))).toContain(
      'src/app.ts: has imports, but dependency-cruiser found none',
    )
  })
})
