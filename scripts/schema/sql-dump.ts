import type { OwnedTable } from '../ownership/tables.ts'
import type { Catalog, Column, Table } from './catalog.ts'

const heading = `-- The schema as the migrations leave it. Written by \`npm run db:schema\`; do not edit.`

/** The catalog as SQL to read: one block per table, everything in alphabetical order. */
export function toSql(catalog: Catalog, owners: Map<string, OwnedTable>): string {
  const enums = catalog.enums.map(
    ({ name, labels }) => `create type ${name} as enum (${labels.map(quoted).join(', ')})`,
  )
  const blocks = [
    heading,
    ...[...catalog.extensions, ...enums, ...catalog.domains, ...catalog.sequences].map((text) => `${text};`),
    ...catalog.functions.map((text) => `${text.trimEnd()};`),
    ...catalog.tables.map((table) => tableSql(table, owners.get(table.name)?.owner)),
  ]
  return `${blocks.join('\n\n')}\n`
}

function tableSql(table: Table, owner: string | undefined): string {
  const lines = [
    ...(owner ? [`-- owner: ${owner}`] : []),
    ...(table.partitionOf ? [`-- partition of ${table.partitionOf}`] : []),
    table.viewQuery === null
      ? createTable(table)
      : `create ${table.kind} ${table.name} as\n${table.viewQuery}`,
    ...[...table.indexes, ...table.triggers, ...table.statistics].map((text) => `${text};`),
  ]
  return lines.join('\n')
}

function createTable(table: Table): string {
  const parts = [
    ...table.columns.map(columnSql),
    ...table.constraints.map(({ name, definition }) => `constraint ${name} ${definition}`),
  ]
  const tail = [
    ...(table.partitionKey ? [` partition by ${table.partitionKey}`] : []),
    ...(table.options.length > 0 ? [` with (${table.options.join(', ')})`] : []),
  ]
  const body = parts.map((part) => `  ${part}`).join(',\n')
  return `create ${table.unlogged ? 'unlogged ' : ''}table ${table.name} (\n${body}\n)${tail.join('')};`
}

function columnSql({ name, type, required, expression, identity, generated }: Column): string {
  const words = [name, type.replace(/^timestamp(.*) with time zone/, 'timestamptz$1')]
  if (required) words.push('not null')
  if (identity) words.push(`generated ${identity === 'a' ? 'always' : 'by default'} as identity`)
  else if (generated) words.push(`generated always as (${expression}) stored`)
  else if (expression !== null) words.push(`default ${expression}`)
  return words.join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
