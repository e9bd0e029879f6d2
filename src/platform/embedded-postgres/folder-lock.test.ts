import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockByAbstractSocket, lockFolder } from './folder-lock.ts'
import { runScript } from './owner.fixture.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hubbub-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('is held by one, names the holder, and is free after release', async () => {
  const lock = await lockFolder(folder)
  expect(await readFile(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`)
  await expect(lockFolder(folder)).rejects.toMatchObject({
    expected: true,
    message: expect.stringContaining(`in use by pid ${process.pid}`) as string,
  })
  lock.release()
  lock.release()
  const again = await lockFolder(folder)
  again.release()
})

it('goes to exactly one of many who ask at once', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)))
  const winners = results.filter((result) => result.status === 'fulfilled')
  expect(winners).toHaveLength(1)
  winners[0]?.value.release()
})

it('is free as soon as its holder was killed', async () => {
  const module = JSON.stringify(new URL('folder-lock.ts', import.meta.url).href)
  const holder = runScript(
    `import { lockFolder } from ${module}
    await lockFolder(process.argv[1])
    console.log('held')
    setInterval(() => {}, 1000)`,
    folder,
  )
  await holder.lines.next()
  await expect(lockFolder(folder)).rejects.toThrow(`pid ${holder.process.pid}`)
  await holder.kill()
  const lock = await lockFolder(folder)
  lock.release()
})

it('says why a folder cannot be locked', async () => {
  await expect(lockFolder(join(folder, 'missing'))).rejects.toMatchObject({ expected: true })
})

// What Linux falls back to where flock(1) is missing.
it('can be a socket name of the folder, where the system has such names', async () => {
  if (process.platform !== 'linux') return expect(lockByAbstractSocket(folder)).rejects.toThrow()
  const release = await lockByAbstractSocket(folder)
  await expect(lockByAbstractSocket(folder)).rejects.toThrow('in use')
  release()
  const releaseAgain = await lockByAbstractSocket(folder)
  releaseAgain()
})
