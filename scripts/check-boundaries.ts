import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IForbiddenRuleType, type ICruiseOptions } from 'dependency-cruiser'
import { listSources } from './source-files.ts'

const folders = ['src', 'test', 'bench', 'scripts', 'db']

/** What a run saw, and one line for each import that breaks a rule. */
export interface BoundaryReport {
  modules: number
  problems: string[]
}

interface Configuration {
  forbidden: (IForbiddenRuleType & { name: string; comment: string })[]
  options: ICruiseOptions
}

/**
 * Holds every import below `root` against `.dependency-cruiser.cjs` of this project. A file the cruiser did not read
 * is a problem too: with a TypeScript it cannot use, it reads nothing and would be content with that.
 */
export async function checkBoundaries(root: string): Promise<BoundaryReport> {
  const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as Configuration
  const present = folders.filter((folder) => existsSync(join(root, folder)))
  const { output } = await cruise(present, {
    ...options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden },
  })
  const { modules: cruised, summary } = output as ICruiseResult
  const reasons = new Map(forbidden.map(({ name, comment }) => [name, comment]))
  const broken = summary.violations.map(({ rule, from, to, cycle }) => {
    const path = cycle ? cycle.map(({ name }) => name).join(' -> ') : to
    return `${from} -> ${path}: ${rule.name}. ${reasons.get(rule.name) ?? ''}`
  })
  const seen = new Map(cruised.map(({ source, dependencies }) => [source, dependencies.length]))
  const files = present.flatMap((folder) => listSources(root, folder))
  const modules = files.filter((file) => seen.has(file)).length
  return { modules, problems: [...broken, ...findUnread(root, files, seen)] }
}

/** Files of a tree that the cruiser passed over, or whose imports it did not see. `seen`: file -> import count. */
export function findUnread(root: string, files: string[], seen: Map<string, number>): string[] {
  if (files.length === 0) return [`${root}: no TypeScript file to check`]
  return files.flatMap((file) => {
    const dependencies = seen.get(file)
    if (dependencies === undefined) return `${file}: not read by dependency-cruiser`
    if (dependencies > 0 || !/^(import|export) .*from '/m.test(readFileSync(join(root, file), 'utf8')))
      return []
    return `${file}: has imports, but dependency-cruiser found none`
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { modules, problems } = await checkBoundaries(process.cwd())
  for (const problem of problems) console.error(problem)
  console.log(`boundaries: ${modules} modules, ${problems.length} problems`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
