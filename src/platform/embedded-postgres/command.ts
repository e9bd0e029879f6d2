import { spawn, type SpawnOptions } from 'node:child_process'

/**
 * What every program we start sees. The caller's environment stays out: PGPORT, PGDATA, PGOPTIONS or a translated
 * locale would change what PostgreSQL does or prints.
 */
export const bareEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
}

/** How a program ended: its exit code (null when it could not be started or a signal ended it), and what it said. */
export interface CommandResult {
  code: number | null
  output: string
}

/** Runs a program to its end in the root folder, with stdout and stderr joined. Never rejects. */
export async function run(
  command: [string, ...string[]],
  options: SpawnOptions & { input?: string | undefined } = {},
): Promise<CommandResult> {
  try {
    return await runToEnd(command, options)
  } catch (error) {
    return { code: null, output: (error as Error).message }
  }
}

function runToEnd(
  [program, ...args]: [string, ...string[]],
  { input = '', ...options }: SpawnOptions & { input?: string | undefined },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: '/', env: bareEnvironment, ...options })
    const chunks: Buffer[] = []
    const collect = (chunk: Buffer) => void chunks.push(chunk)
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    // A program that ends without reading its input breaks the pipe; its exit code says what counts.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      const output = Buffer.concat(chunks).toString('utf8').trim()
      resolve({ code, output: signal ? `${output}\nended by ${signal}`.trim() : output })
    })
  })
}
