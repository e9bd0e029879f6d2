import { expect, it } from 'vitest'
import { findTables, readTokens } from './sql-tables.ts'

const tables = (sql: string) =>
  findTables(readTokens(sql, 0)).map(({ name, writes }) => (writes ? `${name}!` : name))

it.each([
  [
    'select a, b from posts p, comments c, (select from flags) f, lateral unnest(p.tags) t where a in (1, 2)',
    'posts comments flags',
  ],
  ['select * from posts p join users u on u.id = p.user_id and f(a, b), feeds', 'posts users feeds'],
  ['select 1 from (posts join users using (id))', 'posts users'],
  [
    'select 1 from public.posts left join lateral (select from "users") u on true order by a, b',
    'posts users',
  ],
  ['select 1 from generate_series(1, 10) n', ''],
  [
    'select extract(epoch from created_at), trim(both from name), a is distinct from users, 1 from posts',
    'posts',
  ],
  [
    "select 'from users', E'it\\'s from users', '\\', $$ from users $$ -- from users\n /* join users */ from posts",
    'posts',
  ],
  ['select reactions, users.id as users from posts as users', 'posts'],
  ['insert into posts (id, users) values (1, 2) on conflict (id) do update set users = 1', 'posts!'],
  ['insert into posts select id from users', 'posts! users'],
  [
    'update only posts p set a = 1, b = 2 from users u, feeds where true returning a, b',
    'posts! users feeds',
  ],
  ['delete from posts using users, feeds where a', 'posts! users feeds'],
  [
    'merge into posts using users on a when matched then update set b = 1 when matched then delete',
    'posts! users',
  ],
  ['select 1 from posts for no key update of posts skip locked', 'posts'],
  [
    'with recent as (select from posts), gone as (delete from users returning id) select from recent, gone',
    'posts users! recent gone',
  ],
  ['truncate posts', 'posts!'],
  ['truncate table posts', 'posts!'],
  ['alter table if exists posts drop column a', 'posts!'],
  ['copy posts (id) from stdin', 'posts! stdin'],
  ['select 1 from posts union select 2 from users, feeds', 'posts users feeds'],
])('%s', (sql, expected) => {
  expect(tables(sql).join(' ')).toBe(expected)
})
