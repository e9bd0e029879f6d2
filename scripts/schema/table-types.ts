import { toCamelCase } from '../../src/platform/database/dialect.ts'
import type { Catalog, Column, Table } from './catalog.ts'

const heading = `// Generated from the migrations by \`npm run db:types\`; do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** Any JSON value. Written as text (\`JSON.stringify\`), so that it is stored as it came. */
export type Json = string | number | boolean | null | { [key: string]: Json } | Json[]
export type RequiredJson = ColumnType<Json, string, string>
export type DefaultJson = ColumnType<Json, string | undefined, string>
export type NullableJson = ColumnType<Json | null, string | null | undefined, string | null>
`

// As the driver reads them (platform/database): 64-bit integers are numbers, but not inside arrays.
const types: Record<string, string> = {
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  float8: 'number',
  numeric: 'string',
  text: 'string',
  varchar: 'string',
  bpchar: 'string',
  citext: 'string',
  uuid: 'string',
  inet: 'string',
  cidr: 'string',
  tsvector: 'string',
  date: 'Date',
  timestamp: 'Date',
  timestamptz: 'Date',
  bytea: 'Buffer',
}
const json = new Set(['json', 'jsonb'])

/** TypeScript for Kysely: an interface per table or view, and `DB`, which maps all of them, with camelCase names. */
export function toTypes({ tables }: Catalog): string {
  const interfaces = tables.map((table) => interfaceOf(table))
  const map = tables.map(({ name }) => `  ${toCamelCase(name)}: ${toPascalCase(name)}`)
  return `${[heading, ...interfaces, `export interface DB {\n${map.join('\n')}\n}`].join('\n')}\n`
}

function interfaceOf(table: Table): string {
  const columns = table.columns.map((column) => `  ${toCamelCase(column.name)}: ${typeOf(table, column)}`)
  return `export interface ${toPascalCase(table.name)} {\n${columns.join('\n')}\n}\n`
}

function typeOf(table: Table, column: Column): string {
  const computed = column.generated || column.identity === 'a'
  const optional = column.expression !== null || column.identity === 'd'
  if (json.has(column.baseType) && !column.isArray && !computed && table.kind === 'table') {
    if (!column.required) return 'NullableJson'
    return optional ? 'DefaultJson' : 'RequiredJson'
  }
  const base = `${scalarOf(table, column)}${column.isArray ? '[]' : ''}`
  const read = column.required || table.kind !== 'table' ? base : `${base} | null`
  if (computed) return `GeneratedAlways<${read}>`
  return optional ? `Generated<${read}>` : read
}

function scalarOf(table: Table, { name, baseType, isArray, labels }: Column): string {
  if (labels) {
    const union = labels.map((label) => `'${label.replaceAll("'", "\\'")}'`).join(' | ')
    return isArray ? `(${union})` : union
  }
  if (json.has(baseType)) return 'Json'
  if (baseType === 'int8' && isArray) return 'string'
  const type = types[baseType]
  if (!type)
    throw new Error(`${table.name}.${name}: no TypeScript type for ${baseType}; add it to table-types.ts`)
  return type
}

function toPascalCase(name: string): string {
  const camel = toCamelCase(name)
  return camel[0]!.toUpperCase() + camel.slice(1)
}
