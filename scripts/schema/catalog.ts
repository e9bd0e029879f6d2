import type pg from 'pg'

// Kysely's own bookkeeping is not part of the schema.
const bookkeeping = ['migrations', 'migrations_lock']

export interface Column {
  name: string
  /** As SQL spells it: `timestamp(3) with time zone`, `text[]`. */
  type: string
  /** Name of the type, of the element type for arrays and of the base type for domains: `timestamptz`, `text`. */
  baseType: string
  isArray: boolean
  /** Labels of an enum, in order. */
  labels: string[] | null
  required: boolean
  /** Default, or the expression of a generated column. */
  expression: string | null
  identity: '' | 'a' | 'd'
  generated: boolean
}

export interface Table {
  name: string
  kind: 'table' | 'view' | 'materialized view'
  unlogged: boolean
  /** Storage parameters, as `fillfactor=90`. */
  options: string[]
  /** How a partitioned table divides its rows; null for others. */
  partitionKey: string | null
  /** The table and range this one is a partition of. */
  partitionOf: string | null
  viewQuery: string | null
  columns: Column[]
  /** Constraints, by name. */
  constraints: { name: string; definition: string }[]
  /** Whole statements: indexes that no constraint made, triggers, extended statistics. */
  indexes: string[]
  triggers: string[]
  statistics: string[]
}

export interface Catalog {
  tables: Table[]
  enums: { name: string; labels: string[] }[]
  /** Whole statements. */
  extensions: string[]
  domains: string[]
  sequences: string[]
  functions: string[]
}

const notOfAnExtension = (oid: string) =>
  `not exists (select from pg_depend e where e.objid = ${oid} and e.deptype = 'e')`

/** Reads what the schema `public` of a database holds, each list in a stable order. */
export async function readCatalog(client: pg.ClientBase): Promise<Catalog> {
  const rows = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows
  const texts = async (text: string) => (await rows<{ text: string }>(text)).map((row) => row.text)
  await client.query(`set search_path = public`)

  const tables = await rows<Omit<Table, 'columns' | 'constraints' | 'indexes' | 'triggers' | 'statistics'>>(
    `select c.relname as name, c.relpersistence = 'u' as unlogged, coalesce(c.reloptions, '{}') as options,
       case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end as kind,
       case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as "partitionKey",
       (select i.inhparent::regclass || ' ' || pg_get_expr(c.relpartbound, c.oid) from pg_inherits i
        where i.inhrelid = c.oid and c.relispartition) as "partitionOf",
       case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid, true) end as "viewQuery"
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and c.relname <> all ($1)
       and ${notOfAnExtension('c.oid')}
     order by c.relname collate "C"`,
    [bookkeeping],
  )
  const columns = await rows<Column & { table: string }>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
       coalesce(base.typname, element.typname, t.typname) as "baseType", element.oid is not null as "isArray",
       (select array_agg(l.enumlabel::text order by l.enumsortorder) from pg_enum l
        where l.enumtypid = coalesce(element.oid, t.oid)) as labels,
       a.attnotnull as required, pg_get_expr(d.adbin, d.adrelid, true) as expression,
       a.attidentity as identity, a.attgenerated <> '' as generated
     from pg_attribute a
       join pg_class c on c.oid = a.attrelid
       join pg_type t on t.oid = a.atttypid
       left join pg_type element on element.oid = t.typelem and t.typcategory = 'A'
       left join pg_type base on base.oid = t.typbasetype
       left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
       and a.attnum > 0 and not a.attisdropped
     order by c.relname, a.attnum`,
  )
  // Not-null constraints have rows of their own since PostgreSQL 18; the columns say it already.
  const constraints = await rows<{ table: string; name: string; definition: string }>(
    `select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid, true) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where c.relnamespace = 'public'::regnamespace and k.contype in ('c', 'f', 'p', 'u', 'x') and k.conparentid = 0
     order by array_position('{p,u,x,f,c}'::text[], k.contype::text), k.conname collate "C"`,
  )
  const indexes = await rows<{ table: string; text: string }>(
    `select c.relname as table, pg_get_indexdef(i.indexrelid, 0, true) as text
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
     where c.relnamespace = 'public'::regnamespace and not x.relispartition
       and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
     order by x.relname collate "C"`,
  )
  const triggers = await rows<{ table: string; text: string }>(
    `select c.relname as table, pg_get_triggerdef(g.oid, true) as text
     from pg_trigger g join pg_class c on c.oid = g.tgrelid
     where c.relnamespace = 'public'::regnamespace and not g.tgisinternal and g.tgparentid = 0
     order by g.tgname collate "C"`,
  )
  const statistics = await rows<{ table: string; text: string }>(
    `select s.stxrelid::regclass::text as table, pg_get_statisticsobjdef(s.oid) as text
     from pg_statistic_ext s where s.stxnamespace = 'public'::regnamespace order by s.stxname collate "C"`,
  )
  const of = <Row extends { table: string }>(list: Row[], name: string) =>
    list.filter((row) => row.table === name)
  return {
    tables: tables.map((table) => ({
      ...table,
      columns: of(columns, table.name),
      constraints: of(constraints, table.name),
      indexes: of(indexes, table.name).map(({ text }) => text),
      triggers: of(triggers, table.name).map(({ text }) => text),
      statistics: of(statistics, table.name).map(({ text }) => text),
    })),
    enums: await rows(
      `select t.typname as name, array_agg(l.enumlabel::text order by l.enumsortorder) as labels
       from pg_type t join pg_enum l on l.enumtypid = t.oid
       where t.typnamespace = 'public'::regnamespace group by t.typname order by t.typname collate "C"`,
    ),
    extensions: await texts(
      `select 'create extension ' || quote_ident(extname) as text from pg_extension
       where extname <> 'plpgsql' order by extname collate "C"`,
    ),
    domains: await texts(
      `select 'create domain ' || quote_ident(t.typname) || ' as ' || format_type(t.typbasetype, t.typtypmod)
         || case when t.typnotnull then ' not null' else '' end
         || coalesce(' default ' || t.typdefault, '')
         || coalesce((select string_agg(' constraint ' || quote_ident(k.conname) || ' '
              || pg_get_constraintdef(k.oid, true), '' order by k.conname collate "C")
            from pg_constraint k where k.contypid = t.oid and k.contype = 'c'), '') as text
       from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'd'
         and ${notOfAnExtension('t.oid')} order by t.typname collate "C"`,
    ),
    sequences: await texts(
      `select format('create sequence %I as %s start %s increment %s minvalue %s maxvalue %s%s', c.relname,
         format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqmin, s.seqmax,
         case when s.seqcycle then ' cycle' else '' end) as text
       from pg_sequence s join pg_class c on c.oid = s.seqrelid
       where c.relnamespace = 'public'::regnamespace
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('i', 'e'))
       order by c.relname collate "C"`,
    ),
    functions: await texts(
      `select pg_get_functiondef(p.oid) as text from pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p', 'w') and ${notOfAnExtension('p.oid')}
       order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"`,
    ),
  }
}
