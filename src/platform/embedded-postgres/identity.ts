import { chown, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { run } from './command.ts'
import { operatorError } from '../operator-error.ts'

/** A user and group of the machine, by number. */
export interface Account {
  uid: number
  gid: number
}

/** As whom PostgreSQL runs, and how a program is started so. */
export interface Identity {
  name: string
  /** Owner of the cluster's files. */
  owner: Account
  /** Put before the program and its arguments. */
  prefix: string[]
  /** For spawn: the account to become. */
  become: Partial<Account>
}

/**
 * PostgreSQL refuses to run as root. An ordinary user runs it as they are. For root, the ways are tried from the least
 * privileged on, with the real program and the real data folder: a system account; that account with one capability
 * that lets it through folders of mode 0700 on the way; a user namespace in which root has another number.
 * Throws, with the reason each way failed for, when none works.
 */
export async function chooseIdentity(
  dataDir: string,
  cluster: string,
  binaries: Binaries,
): Promise<Identity> {
  const uid = process.geteuid?.() ?? 0
  if (uid !== 0)
    return { name: `uid ${uid}`, owner: { uid, gid: process.getegid?.() ?? uid }, prefix: [], become: {} }
  const failures: string[] = []
  for (const identity of await identitiesForRoot(cluster)) {
    const failure = await tryIdentity(identity, dataDir, binaries)
    if (failure === null) return identity
    failures.push(`  ${identity.name}: ${failure}`)
  }
  throw operatorError(
    `PostgreSQL does not run as root, and no other way to run it was found:\n${failures.join('\n')}\n` +
      'Start the server as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.',
  )
}

/** The ways for root, best first. A cluster that is there already stays with its owner if that is possible. */
export async function identitiesForRoot(cluster: string): Promise<Identity[]> {
  const found = await stat(cluster).catch(() => null)
  const account = found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : await findAccount()
  if (!account) return []
  const plain: Identity = { name: `account ${account.uid}`, owner: account, prefix: [], become: account }
  if (process.platform !== 'linux') return [plain]
  const namespace: Identity = {
    name: 'user namespace',
    owner: { uid: 0, gid: 0 },
    prefix: ['unshare', '--user', `--map-user=${account.uid}`, `--map-group=${account.gid}`],
    become: {},
  }
  const capable = ['dac_read_search', 'dac_override'].map((capability) => withCapability(account, capability))
  return found?.uid === 0 ? [namespace, plain, ...capable] : [plain, ...capable, namespace]
}

/** initdb wants an account with a name, so a bare number will not do. */
async function findAccount(): Promise<Account | null> {
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [uid, gid] = await Promise.all([run(['id', '-u', name]), run(['id', '-g', name])])
    if (uid.code === 0 && gid.code === 0) return { uid: Number(uid.output), gid: Number(gid.output) }
  }
  return null
}

/** `no_setuid_fixup` because PostgreSQL asks access(2), which otherwise leaves the capability out. */
function withCapability(account: Account, capability: string): Identity {
  const prefix = [
    'setpriv',
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    '--no-new-privs',
    '--securebits=+no_setuid_fixup',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
  ]
  return { name: `account ${account.uid} with ${capability}`, owner: account, prefix, become: {} }
}

// Both needs of PostgreSQL: to find its own program by path, and to write below the data folder.
const trial = 'test -x "$1" && "$1" --version && cd "$2" && : > "$2/written" && test -w "$2/written"'

/** Null when PostgreSQL would run under this identity, else why not. */
export async function tryIdentity(
  identity: Identity,
  dataDir: string,
  binaries: Binaries,
): Promise<string | null> {
  const folder = await mkdtemp(join(dataDir, '.trial-'))
  try {
    await chown(folder, identity.owner.uid, identity.owner.gid)
    const command = [...identity.prefix, '/bin/sh', '-c', trial, 'sh', binaries.postgres, folder]
    const { code, output } = await run(command as [string, ...string[]], identity.become)
    return code === 0 ? null : output.replaceAll('\n', '; ') || 'cannot reach the program or the data folder'
  } catch (error) {
    return (error as Error).message
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
