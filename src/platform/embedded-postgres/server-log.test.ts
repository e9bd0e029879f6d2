import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../../../test/harness/eventually.ts'
import { openServerLog } from './server-log.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hubbub-test-'))
  path = join(folder, 'postgres.log')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('tells the last lines after a position, also of a long text', () => {
  const log = openServerLog(path)
  writeSync(log.fd, 'before\n')
  const position = log.position()
  expect(log.since(position)).toBe('')
  for (let line = 1; line <= 5_000; line++) writeSync(log.fd, `line ${line}\n`)
  expect(log.since(position, 3)).toBe('line 4998\nline 4999\nline 5000')
  expect(log.since(0).split('\n')).toHaveLength(20)
  log.close()
})

it('moves a long file aside when it opens, and while it is being written', async () => {
  await writeFile(path, 'x'.repeat(2_000))
  const log = openServerLog(path, { limit: 1_000, everyMs: 20 })
  expect((await readFile(`${path}.1`, 'utf8')).length).toBe(2_000)
  expect(log.position()).toBe(0)
  writeSync(log.fd, 'y'.repeat(1_500))
  await eventually(async () => (await readFile(`${path}.1`, 'utf8')) === 'y'.repeat(1_500))
  // The writer kept its descriptor: what it writes next starts the emptied file.
  writeSync(log.fd, 'next')
  expect(await readFile(path, 'utf8')).toBe('next')
  log.close()
})
