import { chmod, lstat, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { completePackage, copyPackage, findBinaries } from './binaries.ts'
import { run } from './command.ts'

let folder: string
let copy: string
let installed: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hubbub-test-'))
  installed = dirname(dirname(dirname((await findBinaries(folder)).postgres)))
  copy = await copyPackage(installed, folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const program = (name: string) => join(copy, 'native', 'bin', name)

/** As npm leaves the package when it runs no install scripts. Answers how many links went. */
async function undoInstallScript(): Promise<number> {
  const text = await readFile(join(copy, 'native', 'pg-symlinks.json'), 'utf8')
  const links = JSON.parse(text) as { target: string }[]
  for (const { target } of links) await rm(join(copy, target))
  await chmod(program('initdb'), 0o644)
  return links.length
}

it('finds programs of one version that run', async () => {
  const { initdb, majorVersion } = await findBinaries(folder)
  expect((await run([initdb, '--version'])).output).toMatch(`initdb (PostgreSQL) ${majorVersion}.`)
})

it('makes a whole copy of a package whose folder cannot be written, once', async () => {
  expect((await run([program('postgres'), '--version'])).code).toBe(0)
  const { ctimeMs } = await lstat(copy)
  expect(await copyPackage(installed, folder)).toBe(copy)
  expect((await lstat(copy)).ctimeMs).toBe(ctimeMs)
  expect((await readdir(folder)).filter((name) => name.startsWith('postgres-binaries'))).toHaveLength(1)
})

it('does what the install script would have done', async () => {
  const links = await undoInstallScript()
  expect(links).toBeGreaterThan(0)
  expect((await run([program('postgres'), '--version'])).code).not.toBe(0)
  expect(await completePackage(copy)).toBe(true)
  for (const name of ['postgres', 'initdb']) expect((await run([program(name), '--version'])).code).toBe(0)
  expect(await completePackage(copy)).toBe(true)
})

it('says so when it may not write there', async () => {
  await undoInstallScript()
  await chmod(folder, 0o755)
  for (const path of [join(copy, 'native', 'lib'), join(copy, 'native', 'bin')]) await chmod(path, 0o555)
  const root = process.geteuid?.() === 0
  try {
    // Root may write anywhere; for the trial it is someone else.
    if (root) process.seteuid?.(65534)
    expect(await completePackage(copy)).toBe(false)
  } finally {
    if (root) process.seteuid?.(0)
    for (const path of [join(copy, 'native', 'lib'), join(copy, 'native', 'bin')]) await chmod(path, 0o755)
  }
})
