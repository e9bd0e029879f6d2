import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const projectRoot = fileURLToPath(new URL('..', import.meta.url))

/** A small project of its own, with this project's packages and settings, for a check to fail on. */
export interface FixtureTree {
  root: string
  remove(): void
}

/** Writes files (path -> text) into a new temporary folder. */
export function writeTree(files: Record<string, string>): FixtureTree {
  const root = mkdtempSync(join(tmpdir(), 'hubbub-gate-'))
  for (const name of ['package.json', 'tsconfig.json', 'knip.json', '.prettierrc.json', '.prettierignore']) {
    cpSync(join(projectRoot, name), join(root, name))
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}
