import { closeSync, constants, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { run } from './command.ts'
import { operatorError } from '../operator-error.ts'

/** A folder held by this process. The kernel lets go of it when the process ends, however it ends. */
export interface FolderLock {
  release(): void
}

// open(2) of macOS and the BSDs takes the lock while opening; Node has no name for the flag.
const O_EXLOCK = 0x20

/**
 * Locks a folder for this process, by a file `lock` in it that names the holder. Throws at once when another process
 * (or another call in this one) holds it. The lock is the kernel's: a pid that is used again cannot fake it, and a
 * killed holder leaves nothing to clean up.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const fd = openLockFile(folder)
  const held = [() => closeSync(fd)]
  const release = () => held.splice(0).forEach((letGo) => letGo())
  try {
    if (process.platform === 'linux') held.push(await lockOpenFile(fd, folder))
    ftruncateSync(fd)
    writeSync(fd, `${process.pid}\n`, 0)
  } catch (error) {
    release()
    throw error
  }
  return { release }
}

function openLockFile(folder: string): number {
  const lockWhileOpening = process.platform === 'linux' ? 0 : constants.O_NONBLOCK | O_EXLOCK
  try {
    return openSync(join(folder, 'lock'), constants.O_RDWR | constants.O_CREAT | lockWhileOpening, 0o600)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') throw inUse(folder)
    throw operatorError(`the data folder ${folder} cannot be used: ${message}`, error)
  }
}

/**
 * flock(1) locks the open file that it shares with us, and ends; the lock lives as long as our descriptor. Where the
 * program is missing or the file system has no locks, an abstract socket named after the folder serves: it too is
 * released by the kernel, but is seen only within one network namespace.
 */
async function lockOpenFile(fd: number, folder: string): Promise<() => void> {
  const { code } = await run(['flock', '--exclusive', '--nonblock', '3'], {
    stdio: ['ignore', 'pipe', 'pipe', fd],
  })
  if (code === 0) return () => undefined
  if (code === 1) throw inUse(folder)
  return lockByAbstractSocket(folder)
}

/** Binds a name that belongs to the folder. Answers how to let go of it. Linux only. */
export function lockByAbstractSocket(folder: string): Promise<() => void> {
  const { dev, ino } = statSync(folder)
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? inUse(folder) : error),
    )
    server.listen(`\0hubbub-data-${dev}-${ino}`, () => {
      server.unref()
      resolve(() => void server.close())
    })
  })
}

function inUse(folder: string): Error {
  return operatorError(
    `the data folder ${folder} is in use by ${holderOf(folder)}: ` +
      'stop that server first, or set HUBBUB_DATA_DIR to another folder',
  )
}

/** The holder writes its pid just after it got the lock, so for a moment there is none to name. */
function holderOf(folder: string): string {
  try {
    const pid = readFileSync(join(folder, 'lock'), 'utf8').trim()
    return pid ? `pid ${pid}` : 'another process'
  } catch {
    return 'another process'
  }
}
