import type { ChildProcess } from 'node:child_process'
import { inspect } from 'node:util'
import { fromWireError } from './plain.ts'
import type { FromClient } from './protocol.ts'

export interface UntilOptions {
  /** Default 5,000. */
  timeoutMs?: number
  /** Values to pass over, counted from the first ever emitted under the name. */
  skip?: number
}

type Answer = Extract<FromClient, { type: 'returned' | 'threw' }>

const defaultTimeoutMs = 5_000
const keptLogLines = 20

/** What a client process has sent, and promises for what it will send. */
export function createInbox(child: ChildProcess) {
  const signals = new Set<FromClient['type']>()
  const answers = new Map<number, Answer>()
  const emitted = new Map<string, unknown[]>()
  const grantedTopics: string[] = []
  const refusedTopics: string[] = []
  const logLines: string[] = []
  const checks = new Set<() => void>()
  let failure: Error | undefined

  function receive(message: FromClient): void {
    if (message.type === 'emitted') listOf(message.name).push(message.value)
    else if (message.type === 'logged') readLog(message.text)
    else if (message.type === 'failed') failure ??= fromWireError(message.error)
    else if (message.type === 'returned' || message.type === 'threw') answers.set(message.id, message)
    else signals.add(message.type)
  }

  function readLog(text: string): void {
    logLines.push(firstLine(text))
    // The clients print the fate of every subscription and tell it nowhere else.
    const [, verdict, topic] = /^(Subscribed|Failed to subscribe) to topic (\S+)/.exec(text) ?? []
    if (topic !== undefined) (verdict === 'Subscribed' ? grantedTopics : refusedTopics).push(topic)
  }

  child.on('message', (message: FromClient) => {
    receive(message)
    for (const check of checks) check()
  })
  child.stderr?.on('data', (text: Buffer) => logLines.push(...text.toString().trimEnd().split('\n')))
  child.on('close', (code, signal) => {
    const how = signal ?? `code ${code}`
    failure ??= signal === 'SIGKILL' ? undefined : explain(`the client process ended with ${how}`)
    for (const check of checks) check()
  })

  const listOf = (name: string): unknown[] => {
    const values = emitted.get(name) ?? []
    emitted.set(name, values)
    return values
  }

  const explain = (what: string, extra = '') =>
    new Error(`${what}${extra}\nThe client's log ends:\n${logLines.slice(-keptLogLines).join('\n')}`)

  /** Resolves with what `find` finds, now or after some message; a failure of the client ends the wait. */
  function wait<T>(
    what: string,
    find: () => { found: T } | undefined,
    timeoutMs = defaultTimeoutMs,
    detail = () => '',
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (settled: () => void) => {
        clearTimeout(timer)
        checks.delete(check)
        settled()
      }
      const fail = (error: unknown) => settle(() => reject(error as Error))
      const check = () => {
        try {
          const result = find()
          if (result) settle(() => resolve(result.found))
          else if (failure) fail(failure)
          else if (!child.connected) fail(explain(`${what}: the client is closed`))
        } catch (error) {
          fail(error)
        }
      }
      const timer = setTimeout(() => {
        fail(explain(`no ${what} within ${timeoutMs} ms`, detail()))
      }, timeoutMs)
      checks.add(check)
      check()
    })
  }

  return {
    signal: (type: 'opened' | 'flushed', timeoutMs?: number) =>
      wait(`signal ${type}`, () => (signals.has(type) ? { found: type } : undefined), timeoutMs),

    answer: (id: number, timeoutMs?: number) =>
      wait(
        'answer from the function run',
        () => {
          const answer = answers.get(id)
          if (answer?.type === 'threw') throw fromWireError(answer.error)
          return answer && { found: answer.value }
        },
        timeoutMs,
      ),

    until<T>(
      name: string,
      fits: (value: T) => boolean,
      { timeoutMs, skip = 0 }: UntilOptions = {},
    ): Promise<T> {
      const find = () => {
        const found = (listOf(name) as T[]).slice(skip).find(fits)
        return found === undefined ? undefined : { found }
      }
      const last = () => {
        const values = listOf(name)
        return `; ${values.length} seen, the last: ${inspect(values.at(-1), { depth: 6 })}`
      }
      return wait(`'${name}' that fits`, find, timeoutMs, last)
    },

    topic: (fits: (topic: string) => boolean, timeoutMs?: number) =>
      wait(
        'subscription that fits',
        () => {
          const found = grantedTopics.find(fits)
          if (found !== undefined) return { found }
          const refused = refusedTopics.find(fits)
          if (refused !== undefined) throw explain(`the broker refused the topic ${refused}`)
          return undefined
        },
        timeoutMs,
      ),

    topicCount: (count: number, timeoutMs?: number) =>
      wait(
        `${count} subscriptions`,
        () => {
          if (refusedTopics.length > 0) throw explain(`the broker refused ${refusedTopics.join(', ')}`)
          return new Set(grantedTopics).size >= count ? { found: count } : undefined
        },
        timeoutMs,
      ),

    seen: <T>(name: string): T[] => [...(listOf(name) as T[])],

    /** Throws what failed in the client without anyone catching it. */
    throwFailure() {
      if (failure) throw failure
    },
  }
}

/** Errors are printed with stacks; their first line is what a reader of the last few lines wants. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
