import { expect, it } from 'vitest'
import type { Postmaster } from './postmaster.ts'
import { supervise } from './supervise.ts'

/** A server that lives until `end` or `stop` is called. */
function server(pid: number): Postmaster & { end(how: string): void; stops: number } {
  let end: (how: string) => void = () => undefined
  const ended = new Promise<string>((resolve) => (end = resolve))
  const self = {
    pid,
    port: 1,
    ended,
    end,
    stops: 0,
    stop: async () => {
      self.stops++
      end('stopped')
      await ended
    },
  }
  return self
}

it('gives up on a server that ends five times as soon as it was started again', async () => {
  const lines: string[] = []
  let launches = 0
  const first = server(0)
  const stop = supervise(
    first,
    async () => {
      const next = server(++launches)
      setTimeout(() => next.end('SIGSEGV'))
      return next
    },
    (line) => lines.push(line),
  )
  first.end('SIGSEGV')
  await expect
    .poll(() => lines.at(-1), { timeout: 15_000 })
    .toBe('PostgreSQL keeps ending (SIGSEGV); giving up on it')
  expect(launches).toBe(5)
  await stop()
})

it('stops a server that was still being started when told to stop', async () => {
  const [first, second] = [server(1), server(2)]
  let launched: (postmaster: Postmaster) => void = () => undefined
  let launching = false
  const stop = supervise(
    first,
    () => {
      launching = true
      return new Promise((resolve) => (launched = resolve))
    },
    () => undefined,
  )
  first.end('SIGKILL')
  await expect.poll(() => launching).toBe(true)
  const stopped = stop()
  launched(second)
  await stopped
  expect(second.stops).toBe(1)
})

it('says why it could not be started again', async () => {
  const lines: string[] = []
  const first = server(1)
  const stop = supervise(
    first,
    () => Promise.reject(new Error('no space left')),
    (line) => lines.push(line),
  )
  first.end('SIGKILL')
  await expect.poll(() => lines).toEqual([expect.stringContaining('SIGKILL'), 'no space left'])
  await stop()
})
