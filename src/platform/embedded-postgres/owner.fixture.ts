import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A process of its own that runs TypeScript of ours, and the lines it prints. */
export interface Owner {
  process: ChildProcess
  lines: AsyncIterator<string>
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>
}

const module = JSON.stringify(new URL('index.ts', import.meta.url).href)

/** Starts a process that starts PostgreSQL on a folder and prints its address, then does what `then` says. */
export function startOwner(dataDir: string, then = 'setInterval(() => {}, 1000)'): Owner {
  const script = `
    import { startEmbeddedPostgres } from ${module}
    const server = await startEmbeddedPostgres({ dataDir: process.argv[1] })
    console.log(server.url)
    ${then}`
  return runScript(script, dataDir)
}

/** Runs a module text in its own process group, as a shell does with a command. */
export function runScript(script: string, ...args: string[]): Owner {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script, ...args],
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'exit')
  return {
    process: child,
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
