import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { elapsed } from '../clock.ts'
import { run } from './command.ts'
import { operatorError } from '../operator-error.ts'
import { postmasterFileName, readPostmasterFile } from './postmaster-file.ts'

const fastShutdownMs = 60_000
const immediateShutdownMs = 10_000

/**
 * Ends what an owner that died has left running on a cluster, and takes away a pid file that now names a stranger.
 * The caller holds the folder's lock, so whatever still runs there has no owner. Throws when it does not end.
 */
export async function stopLeftovers(cluster: string, log: (line: string) => void): Promise<void> {
  const file = await readPostmasterFile(cluster)
  if (file && (await isPostgresOf(cluster, file.pid))) {
    log(`stopping the PostgreSQL that an earlier server left running (pid ${file.pid})`)
    signal(file.pid, 'SIGINT')
    const gone = async () => !(await isPostgresOf(cluster, file.pid))
    if (!(await within(fastShutdownMs, gone))) {
      // Immediate shutdown: the next start recovers from the log, as after a crash.
      signal(file.pid, 'SIGQUIT')
      if (!(await within(immediateShutdownMs, gone)))
        throw operatorError(
          `an earlier PostgreSQL (pid ${file.pid}) on ${cluster} does not stop: end it by hand`,
        )
    }
  } else if (file && isAlive(file.pid)) {
    // PostgreSQL would take any live process of that number for itself. It still checks its shared memory.
    log(`removing a stale ${postmasterFileName}: pid ${file.pid} is another program`)
    await rm(join(cluster, postmasterFileName), { force: true })
  }
  await stopOrphans(cluster)
}

/** Server processes outlive a postmaster that was killed until they notice; a new one refuses to start beside them. */
async function stopOrphans(cluster: string): Promise<void> {
  const gone = async () => {
    const orphans = await postgresProcessesOf(cluster)
    for (const pid of orphans) signal(pid, 'SIGQUIT')
    return orphans.length === 0
  }
  if (!(await within(immediateShutdownMs, gone)))
    throw operatorError(`processes of an earlier PostgreSQL on ${cluster} do not end: end them by hand`)
}

/** Whether a process is a PostgreSQL that works in this cluster's folder. */
export async function isPostgresOf(cluster: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    const [name, folder] = await Promise.all([
      readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''),
      readlink(`/proc/${pid}/cwd`).catch(() => ''),
    ])
    return name.trim() === 'postgres' && folder === (await realpath(cluster).catch(() => cluster))
  }
  const { output } = await run(['ps', '-ww', '-o', 'args=', '-p', String(pid)])
  return output.includes('postgres') && output.includes(cluster)
}

async function postgresProcessesOf(cluster: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const ours = await Promise.all(pids.map((pid) => isPostgresOf(cluster, pid)))
  return pids.filter((_, i) => ours[i])
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Someone else's process: alive, but not to be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function within(ms: number, done: () => Promise<boolean>): Promise<boolean> {
  const end = elapsed() + ms
  while (!(await done())) {
    if (elapsed() > end) return false
    await wait(50)
  }
  return true
}
