import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The TypeScript files below a folder of `root`, as sorted paths relative to `root` with forward slashes. */
export function listSources(root: string, folder: string): string[] {
  const start = join(root, folder)
  if (!existsSync(start)) return []
  return readdirSync(start, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()
}
