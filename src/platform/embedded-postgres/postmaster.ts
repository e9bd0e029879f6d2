import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { elapsed } from '../clock.ts'
import type { Cluster } from './cluster.ts'
import { bareEnvironment, run } from './command.ts'
import { operatorError } from '../operator-error.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import type { ServerLog } from './server-log.ts'
import { asArguments, fixedSettings } from './settings.ts'

/** A PostgreSQL that answers. */
export interface Postmaster {
  pid: number
  port: number
  /** Resolves with a word on how it ended. */
  ended: Promise<string>
  /** Fast shutdown: open transactions are rolled back, all is written. Resolves when it has ended. */
  stop(): Promise<void>
}

export interface LaunchOptions {
  cluster: Cluster
  serverLog: ServerLog
  durable: boolean
  settings: Record<string, string>
  log: (line: string) => void
  /** End PostgreSQL when this process ends without stopping it. */
  tie?: boolean
}

const readyMs = 600_000
const fastShutdownMs = 60_000
const retryMs = 15_000
const portTaken = /Address already in use|could not create any TCP\/IP sockets/
const stillHeld = /pre-existing shared memory block|lock file "[^"]*" already exists/

/**
 * Starts PostgreSQL and waits until it takes connections, recovery included. Without a port it takes a free one.
 * Throws with the end of its log when it does not start.
 */
export async function launchPostmaster(options: LaunchOptions, port?: number): Promise<Postmaster> {
  const giveUpAt = elapsed() + retryMs
  for (;;) {
    const attempt = await tryLaunch(options, port ?? (await freePort()))
    if ('pid' in attempt) return attempt
    // Another program took the port in between, or the last processes of a killed server are still going.
    const passing = portTaken.test(attempt.log) || stillHeld.test(attempt.log)
    if (!passing || elapsed() > giveUpAt)
      throw operatorError(
        `PostgreSQL did not start (${attempt.how}); ${options.serverLog.path} ends with:\n${attempt.log}`,
      )
    await wait(200)
  }
}

async function tryLaunch(
  { cluster, serverLog, durable, settings, log, tie = true }: LaunchOptions,
  port: number,
): Promise<Postmaster | { how: string; log: string }> {
  const { identity, binaries, folder } = cluster
  const args = asArguments({ ...settings, ...fixedSettings(port, durable) })
  const prefix = [...identity.prefix, ...(tie ? await tiePrefix() : [])]
  const [program, ...rest] = [...prefix, binaries.postgres, '-D', folder, ...args] as [string, ...string[]]
  const before = serverLog.position()
  // A session of its own: Ctrl-C on the terminal must not reach it before the server has drained.
  const child = spawn(program, rest, {
    ...identity.become,
    cwd: '/',
    env: bareEnvironment,
    detached: true,
    stdio: ['ignore', serverLog.fd, serverLog.fd],
  })
  let how: string | undefined
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  }).then((word) => (how = word))
  const started = elapsed()
  let said = started
  for (;;) {
    await Promise.race([ended, wait(20)])
    if (how !== undefined) return { how, log: serverLog.since(before) }
    const file = await readPostmasterFile(folder)
    if (file && file.pid === child.pid && file.status === 'ready') break
    if (elapsed() - said > 10_000) {
      said = elapsed()
      log(
        `PostgreSQL is still starting after ${Math.round((said - started) / 1000)} s (recovery after a crash?)`,
      )
    }
    if (elapsed() - started > readyMs) {
      await stopChild(child, ended)
      return { how: `not ready after ${readyMs / 1000} s`, log: serverLog.since(before) }
    }
  }
  child.unref()
  return { pid: child.pid as number, port, ended, stop: () => stopChild(child, ended) }
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.ref()
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGQUIT'), fastShutdownMs)
  await ended
  clearTimeout(timer)
}

/** Where the system has it, setpriv(1) has the kernel send the fast-shutdown signal when this process dies. */
async function tiePrefix(): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const prefix: [string, ...string[]] = ['setpriv', '--pdeathsig', 'INT']
  const { code } = await run([...prefix, 'true'])
  return code === 0 ? prefix : []
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}
