import {
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  type DialectAdapter,
  type PostgresPool,
  type QueryCompiler,
} from 'kysely'
import type pg from 'pg'
import { failedConnect, failedQuery } from './connection-error.ts'

const snakeCache = new Map<string, string>()
const camelCache = new Map<string, string>()

/** `createdAt` -> `created_at`. */
function toSnakeCase(name: string): string {
  let snake = snakeCache.get(name)
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    snakeCache.set(name, snake)
  }
  return snake
}

/** `created_at` -> `createdAt`. */
export function toCamelCase(name: string): string {
  let camel = camelCache.get(name)
  if (camel === undefined) {
    camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    camelCache.set(name, camel)
  }
  return camel
}

// Names are mapped where SQL is printed and where rows are read, instead of by Kysely's CamelCasePlugin,
// which rebuilds every query tree and every row object a second time.
class SnakeCaseCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(toSnakeCase(identifier))
  }
}

/** Kysely over a pg pool: camelCase in TypeScript, snake_case in SQL, prepared statements. */
export class HubbubDialect extends PostgresDialect {
  constructor(pool: pg.Pool) {
    super({ pool: withPreparedStatements(pool) })
  }
  override createQueryCompiler(): QueryCompiler {
    return new SnakeCaseCompiler()
  }
  override createAdapter(): DialectAdapter {
    return new PostgresAdapter()
  }
}

// One name per SQL text, so that a connection parses and plans each text once. Bounded: texts past the limit
// (queries whose shape varies with their input) run unnamed.
const statementNames = new Map<string, string>()
const maxStatements = 1000

function statementName(text: string): string | undefined {
  let name = statementNames.get(text)
  if (name === undefined && statementNames.size < maxStatements) {
    name = `q${statementNames.size}`
    statementNames.set(text, name)
  }
  return name
}

interface ArrayResult {
  command: string
  rowCount: number | null
  fields: { name: string }[]
  rows: unknown[][]
}

function withPreparedStatements(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw failedConnect(error)
      })
      const query = async (text: string, values: readonly unknown[]) => {
        const name = values.length > 0 ? statementName(text) : undefined
        const config = { text, values: values as unknown[], rowMode: 'array' as const, ...(name && { name }) }
        const result = (await client.query(config).catch((error: unknown) => {
          throw failedQuery(error)
        })) as unknown as ArrayResult
        return { command: result.command, rowCount: result.rowCount ?? 0, rows: toObjects(result) }
      }
      return { query, release: () => client.release() } as unknown as Awaited<
        ReturnType<PostgresPool['connect']>
      >
    },
    end: () => pool.end(),
  }
}

function toObjects({ fields, rows }: ArrayResult): Record<string, unknown>[] {
  const names = fields.map((field) => toCamelCase(field.name))
  return rows.map((row) => {
    const object: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) object[names[i]!] = row[i]
    return object
  })
}
