import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The program as an operator runs it, in a process of its own. */
export interface ServerProcess {
  url: string
  apiKey: string
  child: ChildProcess
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>
  /** Asks it to stop; answers the exit code. */
  stop(): Promise<number | null>
}

/** Starts `hubbub serve` on a data folder and waits for its banner. Rejects with its output when it ends before. */
export async function startServerProcess(
  dataDir: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['bin/hubbub.js', 'serve'], {
    env: {
      ...process.env,
      PORT: '0',
      HUBBUB_RTMP_PORT: '0',
      HUBBUB_DATA_DIR: dataDir,
      HUBBUB_LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exited = once(child, 'exit')
  const found = { url: '', apiKey: '' }
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      output += `${line}\n`
      found.url = /Address\s+(\S+)/.exec(line)?.[1] ?? found.url
      found.apiKey = /API key\s+(\S+)/.exec(line)?.[1] ?? found.apiKey
      if (found.apiKey) resolve()
    })
    child.once('exit', (code) => reject(new Error(`hubbub ended with ${code}:\n${output}`)))
  })
  return {
    ...found,
    child,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      return code
    },
  }
}
