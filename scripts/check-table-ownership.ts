import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { spell } from './ownership/constants.ts'
import { findMentions, type Mention } from './ownership/mentions.ts'
import { ownerFolder, readOwnedTables, type OwnedTable } from './ownership/tables.ts'
import { listSources } from './source-files.ts'

/** What a run saw, and one line for each table named where it may not be. */
export interface OwnershipReport {
  files: number
  tables: number
  mentions: number
  problems: string[]
}

interface Reads {
  declared: Map<string, number>
  used: Set<string>
}

/**
 * Checks that each table is named only by the store of the slice that owns it (`-- owner:` in its migration), or read
 * by a store whose slice declares it: `export const reads = ['users'] as const` in the slice's `reads.ts`. Tests may
 * look at any table.
 */
export function checkTableOwnership(root: string): OwnershipReport {
  const { tables, problems } = readOwnedTables(root)
  const byCamelName = new Map([...tables.values()].map((table) => [toCamelCase(table.name), table]))
  const files = listSources(root, 'src').filter((file) => !file.endsWith('.test.ts'))
  const reads = new Map<string, Reads>()
  for (const file of files) {
    if (!file.endsWith('/reads.ts')) continue
    const { declared, problem } = readDeclaration(file, readFileSync(join(root, file), 'utf8'))
    if (problem) problems.push(problem)
    reads.set(unitOf(file), { declared, used: new Set() })
  }

  let mentioned = 0
  for (const file of files) {
    const { mentions, hidden } = findMentions(file, readFileSync(join(root, file), 'utf8'))
    for (const mention of mentions) {
      const table = byCamelName.get(mention.table) ?? tables.get(mention.table)
      if (!table) continue
      mentioned++
      const problem = judge(root, file, mention, table, reads.get(unitOf(file)))
      if (problem) problems.push(`${file}:${mention.line}: ${table.name} (owner ${table.owner}): ${problem}`)
    }
    if (file.startsWith('src/platform/')) continue
    for (const { line, what } of hidden) {
      problems.push(`${file}:${line}: ${what} must be spelled out in this file, so that it can be checked`)
    }
  }

  for (const [unit, { declared, used }] of reads) {
    for (const [name, line] of declared) {
      const table = byCamelName.get(name)
      const at = `${unit}/reads.ts:${line}: ${name}`
      if (!table) problems.push(`${at} is no table`)
      else if (ownerFolder(root, table.owner) === unit) problems.push(`${at} is this slice's own table`)
      else if (!used.has(table.name)) problems.push(`${at} is declared, but no store of this slice reads it`)
    }
  }
  return {
    files: files.length,
    tables: tables.size,
    mentions: mentioned,
    problems: [...new Set(problems)].sort(),
  }
}

function judge(
  root: string,
  file: string,
  mention: Mention,
  table: OwnedTable,
  reads?: Reads,
): string | null {
  const home = ownerFolder(root, table.owner)!
  const inStore = isStore(file)
  if (file.startsWith(`${home}/`)) {
    if (inStore || !home.startsWith('src/modules/')) return null
    return `only ${home}/store.ts may name it`
  }
  if (mention.writes) return `only its owner may write it: call ${home}/index.ts`
  if (!inStore && !file.endsWith('/reads.ts'))
    return `ask ${home}/index.ts, or join it in a store and declare it in reads.ts`
  reads?.used.add(table.name)
  if (reads?.declared.has(toCamelCase(table.name))) return null
  return `declare it in ${unitOf(file)}/reads.ts to join it here`
}

/** The folder that owns a file: the slice, or the part of kernel, platform or delivery. */
function unitOf(file: string): string {
  const parts = file.split('/')
  return parts.slice(0, Math.min(3, parts.length - 1)).join('/')
}

/** `store.ts`, `store-pins.ts`, `pin-store.ts`, or a file in a folder `store`. */
function isStore(file: string): boolean {
  return /^src\/(modules|delivery|kernel)\/.*[-/]store[-./]/.test(file)
}

function readDeclaration(file: string, text: string): { declared: Map<string, number>; problem?: string } {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true)
  const declared = new Map<string, number>()
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (name.getText() !== 'reads' || !initializer) continue
      const { texts, known } = spell(initializer)
      for (const { text: table, node } of texts) {
        declared.set(table, source.getLineAndCharacterOfPosition(node.getStart()).line + 1)
      }
      return known
        ? { declared }
        : { declared, problem: `${file}: \`reads\` must be a plain list of table names` }
    }
  }
  return { declared, problem: `${file}: no \`export const reads = [...] as const\`` }
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync('src')) throw new Error('run this from the root of the project')
  const { files, tables, mentions, problems } = checkTableOwnership(process.cwd())
  for (const problem of problems) console.error(problem)
  console.log(
    `table ownership: ${files} files, ${tables} tables, ${mentions} mentions, ${problems.length} problems`,
  )
  process.exitCode = problems.length > 0 ? 1 : 0
}
