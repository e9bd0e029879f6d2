import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server in a process of its own. */
export interface Running {
  url: string
  process: ChildProcess
  stop(): Promise<void>
}

export const apiKey = 'bench-api-key'

/** Starts Hubbub itself on free ports. */
export function startHubbub(environment: {
  DATABASE_URL: string
  HUBBUB_DATA_DIR: string
}): Promise<Running> {
  return startProcess(['bin/hubbub.js', 'serve'], {
    ...environment,
    PORT: '0',
    HUBBUB_RTMP_PORT: '0',
    HUBBUB_API_KEY: apiKey,
    HUBBUB_LOG_LEVEL: 'warn',
  })
}

/** Starts a script and takes the first address it prints as its own. */
export async function startProcess(args: string[], environment: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout! })
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)
      if (found) resolve(found[0])
    })
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)))
  })
  return {
    url,
    process: child,
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
