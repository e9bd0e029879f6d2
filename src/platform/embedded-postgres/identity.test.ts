import { chown, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyPackage, findBinaries, type Binaries } from './binaries.ts'
import { giveTo } from './cluster.ts'
import { chooseIdentity, identitiesForRoot, tryIdentity } from './identity.ts'
import { startEmbeddedPostgres } from './index.ts'

// Everything in a folder of mode 0700, the programs too: what `mktemp -d` gives to someone who tries the project out.
let folder: string
let binaries: Binaries

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hubbub-test-'))
  const installed = await findBinaries(folder)
  const copy = await copyPackage(dirname(dirname(dirname(installed.postgres))), folder)
  binaries = { ...installed, postgres: join(copy, 'native', 'bin', 'postgres') }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const isRoot = process.geteuid?.() === 0

it('reaches programs and data in a folder that only its owner may enter', async () => {
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  const identity = await chooseIdentity(folder, join(folder, 'postgres'), binaries)
  expect(await tryIdentity(identity, folder, binaries)).toBeNull()
  expect((await readdir(folder)).filter((name) => name.startsWith('.trial'))).toEqual([])
  if (!isRoot) expect(identity.owner.uid).toBe(process.geteuid?.())
})

it('prefers a plain account for root, and tells why it will not do', async () => {
  const [plain] = await identitiesForRoot(join(folder, 'postgres'))
  expect(plain?.prefix).toEqual([])
  if (plain && isRoot)
    expect(await tryIdentity(plain, folder, binaries)).toMatch(/Permission denied|cannot reach/)
})

it('keeps a cluster with the owner it has', async () => {
  const cluster = join(folder, 'kept')
  await mkdir(cluster)
  if (!isRoot) return expect((await chooseIdentity(folder, cluster, binaries)).prefix).toEqual([])
  await chown(cluster, 4321, 4321)
  expect((await identitiesForRoot(cluster)).map(({ owner }) => owner.uid)).toContain(4321)
  await chown(cluster, 0, 0)
  if (process.platform === 'linux')
    expect((await identitiesForRoot(cluster))[0]).toMatchObject({ name: 'user namespace', owner: { uid: 0 } })
})

it('runs a cluster under each identity that works here, handing its files over', async () => {
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const cluster = join(dataDir, 'postgres')
  const owners = new Set<number>()
  await (await startEmbeddedPostgres({ dataDir, durable: false })).stop()
  for (const identity of isRoot ? await identitiesForRoot(cluster) : []) {
    if ((await tryIdentity(identity, dataDir, binaries)) !== null) continue
    await giveTo(cluster, identity.owner)
    await (await startEmbeddedPostgres({ dataDir, durable: false })).stop()
    expect((await stat(cluster)).uid).toBe(identity.owner.uid)
    owners.add(identity.owner.uid)
  }
  if (isRoot) expect(owners.size).toBeGreaterThan(0)
})
