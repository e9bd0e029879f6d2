import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '../src/platform/database/migrations.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/index.ts'
import { readOwnedTables } from './ownership/tables.ts'
import { readCatalog } from './schema/catalog.ts'
import { toSql } from './schema/sql-dump.ts'
import { toTypes } from './schema/table-types.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The files made from the migrations, and the command that writes each. */
export const schemaFiles = { 'db/schema.sql': 'db:schema', 'db/tables.ts': 'db:types' } as const
export type SchemaFile = keyof typeof schemaFiles

/** What each file should hold, read from a migrated database. */
export async function describeDatabase(url: string): Promise<Record<SchemaFile, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const catalog = await readCatalog(client)
    return { 'db/schema.sql': toSql(catalog, readOwnedTables(root).tables), 'db/tables.ts': toTypes(catalog) }
  } finally {
    await client.end()
  }
}

/** One line for each file that does not hold what it should, naming the first line that differs. */
export function findDrift(
  expected: Record<SchemaFile, string>,
  actual: Record<SchemaFile, string>,
): string[] {
  return Object.entries(schemaFiles).flatMap(([file, command]) => {
    const wanted = expected[file as SchemaFile].split('\n')
    const held = actual[file as SchemaFile].split('\n')
    const line = wanted.findIndex((text, i) => text !== held[i])
    if (line < 0 && wanted.length === held.length) return []
    const at = line < 0 ? wanted.length : line
    const difference = `should be \`${wanted[at] ?? '(end)'}\`, is \`${held[at] ?? '(end)'}\``
    return [`${file}:${at + 1}: ${difference}. Run \`npm run ${command}\``]
  })
}

/** The files as they are; a missing one is empty. */
export async function readSchemaFiles(): Promise<Record<SchemaFile, string>> {
  const read = (file: SchemaFile) => readFile(join(root, file), 'utf8').catch(() => '')
  return { 'db/schema.sql': await read('db/schema.sql'), 'db/tables.ts': await read('db/tables.ts') }
}

/** Migrates a throw-away PostgreSQL and describes it. */
async function describeMigrations(): Promise<Record<SchemaFile, string>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hubbub-schema-'))
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, durable: false })
    try {
      await migrate(postgres.url)
      return await describeDatabase(postgres.url)
    } finally {
      await postgres.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const described = await describeMigrations()
  const wanted = process.argv.slice(2)
  for (const file of wanted as SchemaFile[]) {
    if (!(file in schemaFiles))
      throw new Error(`usage: check-schema-dump.ts [${Object.keys(schemaFiles).join('] [')}]`)
    await writeFile(join(root, file), described[file])
    console.log(`wrote ${file}`)
  }
  const drift = wanted.length > 0 ? [] : findDrift(described, await readSchemaFiles())
  for (const problem of drift) console.error(problem)
  process.exitCode = drift.length > 0 ? 1 : 0
}
