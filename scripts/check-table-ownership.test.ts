import { afterEach, describe, expect, it } from 'vitest'
import { checkTableOwnership } from './check-table-ownership.ts'
import { writeTree, type FixtureTree } from './fixture-tree.ts'

let tree: FixtureTree | undefined
afterEach(() => tree?.remove())

const migrations = `
-- owner: users
-- People.
create table users (id text primary key, posts integer);

-- owner: posts
create table posts (id text primary key);
-- owner: posts
create table if not exists post_pins (post_id text references posts);
-- owner: kernel/outbox
create unlogged table outbox_head (position bigint);
`

const sound: Record<string, string> = {
  'db/migrations/0001.sql': migrations,
  'src/modules/users/store.ts': `
    export const find = (db) => db.selectFrom('users').selectAll()
    export const count = (db) => sql\`select posts from users where note = 'from posts'\`.execute(db)`,
  'src/modules/posts/store.ts': `
    import { sql as q } from 'kysely'
    export const write = (tx) => tx.insertInto('posts').values({})
    export const pin = (tx) => q<number>\`insert into post_pins (post_id) select id from posts for update\`.execute(tx)`,
  'src/modules/posts/pin-store.ts': `export const list = (db) => db.selectFrom('postPins as pin').innerJoin('users', 'a', 'b')`,
  'src/modules/posts/reads.ts': `export const reads = ['users'] as const`,
  'src/modules/posts/queries.ts': `export const list = (items) => Array.from('users').concat(items.from(1))`,
  'src/modules/posts/store.test.ts': `export const look = (db) => db.selectFrom('users')`,
  'src/kernel/outbox/dispatcher.ts': `export const lag = (db) => db.selectFrom('outboxHead')`,
}

const users = 'src/modules/users/index.ts'
const ask = `ask ${users}, or join it in a store and declare it in reads.ts`
const elsewhere = (
  file: string,
  text: string,
  problem: string,
): [string, Record<string, string>, string[]] => [
  `${file}: ${text}`,
  { [file]: `export const x = (db, eb, name) =>\n  ${text}` },
  [`${file}:2: ${problem}`],
]

describe('table ownership', () => {
  it('accepts tables named by their owner and joins that are declared', () => {
    tree = writeTree(sound)
    expect(checkTableOwnership(tree.root)).toEqual({ files: 6, tables: 4, mentions: 8, problems: [] })
  })

  const owner = 'users (owner users)'
  it.each([
    elsewhere('src/modules/posts/queries.ts', `db.selectFrom('users')`, `${owner}: ${ask}`),
    elsewhere(
      'src/modules/posts/queries.ts',
      `eb.exists(eb.selectFrom(['users as u', 'x']))`,
      `${owner}: ${ask}`,
    ),
    elsewhere('src/modules/posts/queries.ts', 'db.leftJoin(`users as u`, 1)', `${owner}: ${ask}`),
    elsewhere('src/modules/posts/queries.ts', `db['innerJoin']('public.users', 1)`, `${owner}: ${ask}`),
    elsewhere('src/modules/posts/queries.ts', 'sql`select 1 from users`', `${owner}: ${ask}`),
    elsewhere(
      'src/modules/posts/queries.ts',
      'sql`select 1 from ${sql.table("users")} u`',
      `${owner}: ${ask}`,
    ),
    elsewhere('src/modules/posts/queries.ts', 'sql.table("users")', `${owner}: ${ask}`),
    elsewhere('src/modules/posts/queries.ts', 'sql.raw("select 1 from users")', `${owner}: ${ask}`),
    elsewhere('src/modules/posts/queries.ts', `db.query("select 1 from users")`, `${owner}: ${ask}`),
    elsewhere('src/app.ts', `db.selectFrom('users')`, `${owner}: ${ask}`),
    elsewhere('src/platform/database/facts.ts', `db.selectFrom('users')`, `${owner}: ${ask}`),
    elsewhere('src/delivery/push/sink.ts', `db.selectFrom('users')`, `${owner}: ${ask}`),
    elsewhere(
      'src/delivery/push/store.ts',
      `db.selectFrom('users')`,
      `${owner}: declare it in src/delivery/push/reads.ts to join it here`,
    ),
    elsewhere(
      'src/modules/users/actions.ts',
      `db.selectFrom('users')`,
      `${owner}: only src/modules/users/store.ts may name it`,
    ),
    elsewhere(
      'src/modules/posts/pins/store.ts',
      `db.updateTable('users').set(1)`,
      `${owner}: only its owner may write it: call ${users}`,
    ),
    elsewhere(
      'src/modules/posts/pins/store.ts',
      `db.deleteFrom('users')`,
      `${owner}: only its owner may write it: call ${users}`,
    ),
    elsewhere(
      'src/modules/posts/pins/store.ts',
      'sql`update users set id = 1`',
      `${owner}: only its owner may write it: call ${users}`,
    ),
    elsewhere(
      'src/modules/posts/pins/store.ts',
      'sql`with x as (delete from only "users" u returning 1) select 1`',
      `${owner}: only its owner may write it: call ${users}`,
    ),
    elsewhere(
      'src/modules/users/actions.ts',
      `db.selectFrom(name)`,
      'the table of selectFrom() must be spelled out in this file, so that it can be checked',
    ),
    elsewhere(
      'src/modules/users/actions.ts',
      'db.insertInto(`${name}s`)',
      'the table of insertInto() must be spelled out in this file, so that it can be checked',
    ),
    elsewhere(
      'src/modules/users/store.ts',
      'sql.raw(`select ${name}`)',
      'the text of raw() must be spelled out in this file, so that it can be checked',
    ),
  ])('refuses %s', (_, files, problems) => {
    tree = writeTree({ ...sound, ...files })
    const report = checkTableOwnership(tree.root)
    expect(report.problems).toEqual(problems)
  })

  it('follows constants and nested pieces of SQL', () => {
    tree = writeTree({
      ...sound,
      'src/modules/posts/actions.ts': `
        import { sql as q } from 'kysely'
        const people = 'users'
        const from = q\`from posts p, users\`
        export const a = (db) => db.selectFrom(people)
        export const b = (db) => { for (const t of ['users', 'posts'] as const) db.selectFrom(t) }
        export const c = q\`select 1 \${from} where \${q\`exists (select from post_pins)\`}\`
        export const d = ({ selectFrom }) => selectFrom(Math.max(1, 2) > 1 ? 'users' : 'posts')`,
    })
    const lines = checkTableOwnership(tree.root).problems.map((problem) => problem.split(':')[1])
    expect(new Set(lines)).toEqual(new Set(['3', '4', '6', '7', '8']))
  })

  it('holds reads.ts to what the slice reads', () => {
    tree = writeTree({
      ...sound,
      'src/modules/posts/reads.ts': `export const reads = [\n'users',\n'posts',\n'outboxHead',\n'gone'] as const`,
      'src/modules/users/reads.ts': `export const others = ['posts']`,
    })
    expect(checkTableOwnership(tree.root).problems).toEqual([
      `src/modules/posts/reads.ts:3: posts is this slice's own table`,
      'src/modules/posts/reads.ts:4: outboxHead is declared, but no store of this slice reads it',
      'src/modules/posts/reads.ts:5: gone is no table',
      'src/modules/users/reads.ts: no `export const reads = [...] as const`',
    ])
  })

  it('wants an owner for every table', () => {
    tree = writeTree({
      ...sound,
      'db/migrations/0002.sql': `
create table orphans (id text);
-- owner: nobody
create table strays (id text);
-- owner: users

create table apart (id text);
-- owner: users
create materialized view if not exists busy_users as select 1;
alter table post_pins rename to pins;
drop table if exists posts;`,
    })
    const { problems, tables } = checkTableOwnership(tree.root)
    expect(problems.filter((problem) => problem.startsWith('db/'))).toEqual([
      'db/migrations/0002.sql:2: table orphans has no `-- owner: ...` comment above it',
      'db/migrations/0002.sql:4: table strays is owned by nobody, which is no folder of src',
      'db/migrations/0002.sql:7: table apart has no `-- owner: ...` comment above it',
    ])
    expect(tables).toBe(4)
  })

  it('fails when there is nothing to check', () => {
    tree = writeTree({})
    expect(checkTableOwnership(tree.root).problems).toEqual(['db/migrations: no owned table found'])
  })
})
