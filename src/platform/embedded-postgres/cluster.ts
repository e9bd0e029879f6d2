import {
  chown,
  lchown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { newSecret } from '../ids.ts'
import type { Binaries } from './binaries.ts'
import { run, type CommandResult } from './command.ts'
import type { Account, Identity } from './identity.ts'
import { operatorError } from '../operator-error.ts'
import { asArguments, initialSettings } from './settings.ts'

/** Name of the role and of the database. */
export const clusterName = 'hubbub'

/** The files of one PostgreSQL and what it takes to run them. */
export interface Cluster {
  folder: string
  password: string
  identity: Identity
  binaries: Binaries
}

export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres')
}

/** The password of the cluster's role, or null when its file is missing. */
export async function readPassword(dataDir: string): Promise<string | null> {
  const text = await readFile(passwordFile(dataDir), 'utf8').catch(() => '')
  return text.trim() || null
}

const passwordFile = (dataDir: string) => join(dataDir, 'postgres.password')

/**
 * The cluster under a data folder, made on first use. Nothing may be running on it. Throws when it belongs to another
 * user or was made by another major version of PostgreSQL.
 */
export async function prepareCluster(
  dataDir: string,
  { binaries, identity, durable }: { binaries: Binaries; identity: Identity; durable: boolean },
): Promise<Cluster> {
  const folder = clusterFolder(dataDir)
  const known = await readPassword(dataDir)
  const password = known ?? newSecret()
  const cluster = { folder, password, identity, binaries }
  const version = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => null)
  if (version === null) {
    await requireEmpty(folder)
    if (!known) await writePassword(dataDir, password)
    await createCluster(dataDir, cluster, durable)
  } else {
    if (version.trim() !== binaries.majorVersion)
      throw operatorError(
        `${folder} was made by PostgreSQL ${version.trim()}, this program brings ${binaries.majorVersion}: ` +
          'dump it with the old version and load it into a new data folder',
      )
    await giveTo(folder, identity.owner)
    if (!known) {
      await replacePassword(cluster)
      await writePassword(dataDir, password)
    }
  }
  return cluster
}

async function requireEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch(() => [])
  if (found.length > 0)
    throw operatorError(`${folder} is not empty, but holds no PostgreSQL data: move it away`)
}

async function writePassword(dataDir: string, password: string): Promise<void> {
  await writeFile(passwordFile(dataDir), `${password}\n`, { mode: 0o600, flush: true })
}

/** Made beside its place and moved there when whole: a start cut short leaves no half cluster. */
async function createCluster(dataDir: string, cluster: Cluster, durable: boolean): Promise<void> {
  const unfinished = 'postgres.new-'
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(unfinished)) await rm(join(dataDir, name), { recursive: true, force: true })
  }
  const { owner } = cluster.identity
  const workspace = await mkdtemp(join(dataDir, unfinished))
  try {
    const data = join(workspace, 'data')
    const secret = join(workspace, 'password')
    await mkdir(data, { mode: 0o700 })
    await writeFile(secret, `${cluster.password}\n`, { mode: 0o600 })
    for (const path of [secret, data, workspace]) await chown(path, owner.uid, owner.gid)
    const { code, output } = await runAs(cluster, cluster.binaries.initdb, [
      `--pgdata=${data}`,
      `--pwfile=${secret}`,
      `--username=${clusterName}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Code point order and Unicode case rules from PostgreSQL itself: no library upgrade can break an index.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(durable ? [] : ['--no-sync']),
      ...asArguments(initialSettings),
    ])
    if (code !== 0) throw operatorError(`initdb could not make ${cluster.folder}:\n${output}`)
    await rename(data, cluster.folder)
    if (durable) await syncFolder(dataDir)
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

/** Hands a folder and all in it to an owner, the folder itself last: cut short, the next start does it again. */
export async function giveTo(folder: string, owner: Account): Promise<void> {
  const { uid } = await stat(folder)
  if (uid === owner.uid) return
  if (process.geteuid?.() !== 0)
    throw operatorError(
      `${folder} belongs to uid ${uid}, the server runs as uid ${owner.uid}: run it as that user`,
    )
  for (const name of await readdir(folder, { recursive: true }))
    await lchown(join(folder, name), owner.uid, owner.gid)
  await chown(folder, owner.uid, owner.gid)
}

/** Sets the role's password through single-user mode, which asks for none. For a password file that got lost. */
async function replacePassword(cluster: Cluster): Promise<void> {
  const statement = `ALTER ROLE ${clusterName} PASSWORD '${cluster.password}'\n`
  const args = ['--single', '-D', cluster.folder, 'postgres']
  const { code, output } = await runAs(cluster, cluster.binaries.postgres, args, statement)
  if (code !== 0 || output.includes('ERROR:'))
    throw operatorError(`could not set a new database password:\n${output}`)
}

function runAs(cluster: Cluster, program: string, args: string[], input?: string): Promise<CommandResult> {
  const { prefix, become } = cluster.identity
  return run([...prefix, program, ...args] as [string, ...string[]], { ...become, input })
}
