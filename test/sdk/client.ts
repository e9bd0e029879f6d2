import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInbox, type UntilOptions } from './inbox.ts'
import type { SdkClientOptions, SdkScope, SdkVersion, ToClient } from './protocol.ts'

/** A published client in a process of its own: its state is global, so two users need two processes. */
export interface SdkClient<V extends SdkVersion = SdkVersion> {
  /**
   * Runs `fn` inside the client's process and resolves with what it returns, as plain data. The function
   * travels as text: it sees its two arguments and globals, nothing of the test around it.
   */
  run<R, A = undefined>(
    fn: (scope: SdkScope<V>, args: A) => R,
    ...rest: undefined extends A ? [args?: A, options?: RunOptions] : [args: A, options?: RunOptions]
  ): Promise<Awaited<R>>
  /** Signs in and waits until the topics the client subscribes by itself are granted. */
  login(user: SdkUser, options?: LoginOptions): Promise<void>
  /** Everything `emit` sent under this name so far, oldest first. */
  seen<T>(name: string): T[]
  /** The first value emitted under this name that fits, be it here already or still to come. */
  until<T>(name: string, fits: (value: T) => boolean, options?: UntilOptions): Promise<T>
  /** Resolves with the first topic that fits once the broker granted it; rejects when it was refused. */
  subscribed(fits: (topic: string) => boolean, options?: RunOptions): Promise<string>
  /** Ends the process. Rejects when anything in it failed without anyone catching it. */
  close(): Promise<void>
}

export interface SdkUser {
  userId: string
  displayName?: string
  authToken?: string
  deviceId?: string
}

export interface RunOptions {
  timeoutMs?: number
}

export interface LoginOptions extends RunOptions {
  /** `false` signs in without opening MQTT. */
  realtime?: boolean
}

const openTimeoutMs = 20_000
const runTimeoutMs = 10_000
const flushTimeoutMs = 2_000

/** How many topics each client subscribes by itself on every connect. */
const loginTopicCount: Record<SdkVersion, number> = { '6.35': 6, '7.20': 7 }

/** Starts a published client against a server. It is created, not yet signed in. */
export async function openSdkClient<V extends SdkVersion>(
  options: SdkClientOptions<V>,
): Promise<SdkClient<V>> {
  const child = fork(new URL('client-process.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const inbox = createInbox(child)
  // A child that is gone makes the wait for its answer fail; the write needs no second report.
  const send = (message: ToClient) => void child.send(message, () => {})
  let lastId = 0

  const runText = (source: string, args: unknown, timeoutMs = runTimeoutMs): Promise<unknown> => {
    const id = ++lastId
    send({ type: 'run', id, source, args })
    return inbox.answer(id, timeoutMs)
  }

  try {
    send({ type: 'open', options })
    await inbox.signal('opened', openTimeoutMs)
  } catch (error) {
    await end(child)
    throw error
  }

  return {
    run: (fn, ...[args, runOptions]) =>
      runText(String(fn), args, runOptions?.timeoutMs) as Promise<Awaited<ReturnType<typeof fn>>>,
    async login(user, { realtime = true, timeoutMs } = {}) {
      await runText(String(signIn), { user, realtime }, timeoutMs)
      if (realtime) await inbox.topicCount(loginTopicCount[options.version], timeoutMs)
    },
    seen: inbox.seen,
    until: inbox.until,
    subscribed: (fits, { timeoutMs } = {}) => inbox.topic(fits, timeoutMs),
    async close() {
      if (child.connected) {
        send({ type: 'flush' })
        await inbox.signal('flushed', flushTimeoutMs).catch(() => {})
      }
      await end(child)
      inbox.throwFailure()
    },
  }
}

/** Closes all of them, whatever happens, then throws the first failure. Those never opened are passed over. */
export async function closeSdkClients(...clients: (Pick<SdkClient, 'close'> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(clients.map(async (client) => client?.close()))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Runs inside the client's process. Both clients take the same three arguments. */
async function signIn(
  { sdk }: { sdk: { Client: { login(...args: unknown[]): Promise<boolean> } } },
  { user, realtime }: { user: SdkUser; realtime: boolean },
): Promise<void> {
  const sessionHandler = { sessionWillRenewAccessToken: (renewal: { renew(): void }) => renewal.renew() }
  const isSignedIn = await sdk.Client.login(user, sessionHandler, { disableRTE: !realtime })
  if (!isSignedIn) throw new Error(`the client refused the session of ${user.userId}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}
