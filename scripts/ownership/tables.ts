import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A table as its migration declares it. */
export interface OwnedTable {
  /** As in SQL, snake_case. */
  name: string
  /** A slice (`posts`), or a folder below `src` (`kernel/outbox`). */
  owner: string
  file: string
  line: number
}

export interface OwnedTables {
  tables: Map<string, OwnedTable>
  problems: string[]
}

const create =
  /^\s*create\s+(?:unlogged\s+)?(?:table|(?:or\s+replace\s+)?(?:materialized\s+)?view)\s+(?:if\s+not\s+exists\s+)?(?:public\.)?"?(\w+)"?/i
const drop = /^\s*drop\s+(?:table|(?:materialized\s+)?view)\s+(?:if\s+exists\s+)?(?:public\.)?"?(\w+)"?/i
const rename = /^\s*alter\s+table\s+(?:if\s+exists\s+)?(?:public\.)?"?(\w+)"?\s+rename\s+to\s+"?(\w+)"?/i

/** Reads who owns which table (or view): the `-- owner:` line in the comment directly above each `create table`. */
export function readOwnedTables(root: string): OwnedTables {
  const tables = new Map<string, OwnedTable>()
  const problems: string[] = []
  const folder = join(root, 'db/migrations')
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sql')) : []
  for (const name of files.sort()) {
    const file = `db/migrations/${name}`
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    lines.forEach((text, i) => {
      const created = create.exec(text)?.[1]
      const dropped = drop.exec(text)?.[1]
      const [, from, to] = rename.exec(text) ?? []
      if (created) {
        const owner = ownerAbove(lines, i)
        if (!owner)
          problems.push(`${file}:${i + 1}: table ${created} has no \`-- owner: ...\` comment above it`)
        else if (ownerFolder(root, owner) === null)
          problems.push(`${file}:${i + 1}: table ${created} is owned by ${owner}, which is no folder of src`)
        else tables.set(created, { name: created, owner, file, line: i + 1 })
      }
      if (dropped) tables.delete(dropped)
      const renamed = from && tables.get(from)
      if (renamed && to) {
        tables.delete(from)
        tables.set(to, { ...renamed, name: to })
      }
    })
  }
  if (tables.size === 0) problems.push('db/migrations: no owned table found')
  return { tables, problems }
}

function ownerAbove(lines: string[], index: number): string | undefined {
  for (let i = index - 1; i >= 0 && lines[i]!.startsWith('--'); i--) {
    const owner = /^-- owner: ([a-z0-9/-]+)\s*$/.exec(lines[i]!)?.[1]
    if (owner) return owner
  }
  return undefined
}

/** Where an owner lives, relative to `root`; null when nowhere. */
export function ownerFolder(root: string, owner: string): string | null {
  return [`src/modules/${owner}`, `src/${owner}`].find((folder) => existsSync(join(root, folder))) ?? null
}
