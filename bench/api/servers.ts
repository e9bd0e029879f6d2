import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server in a process of its own. */
export interface Running {
  url: string
  process: ChildProcess
  stop(): Promise<void>
}

const apiKey = 'bench-api-key'

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

/** A user who is signed in to a running Hubbub. */
export interface Caller {
  /** The internal id. */
  id: string
  /** The header of their requests. */
  authorization: string
  /** Calls an operation; rejects unless it succeeds. */
  post(path: string, body: unknown): Promise<unknown>
}

export async function signIn(url: string, userId: string): Promise<Caller> {
  const send = async (path: string, headers: Record<string, string>, body: unknown): Promise<unknown> => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const session = await send('/api/v5/sessions', { 'x-api-key': apiKey }, { userId, deviceId: 'bench' })
  const { accessToken, users } = session as { accessToken: string; users: { _id: string }[] }
  const authorization = `Bearer ${accessToken}`
  return { id: users[0]!._id, authorization, post: (path, body) => send(path, { authorization }, body) }
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
