import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLimiter, isQueueFull } from './limiter.ts'

test('at most the given number run at once, in order of arrival, and all finish', async () => {
  const limiter = createLimiter({ concurrent: 3, queue: 100 })
  const started: number[] = []
  let running = 0
  let most = 0
  const task = (n: number) => async () => {
    started.push(n)
    most = Math.max(most, ++running)
    await sleep(1)
    running -= 1
    return n
  }
  const results = await Promise.all(Array.from({ length: 50 }, (_, n) => limiter.run(task(n))))
  expect(results).toEqual(started)
  expect(most).toBe(3)
  expect(limiter.waiting()).toBe(0)
})

test('a task beyond the queue is refused, and a failing task gives its place back', async () => {
  const limiter = createLimiter({ concurrent: 1, queue: 1 })
  let release: () => void = () => undefined
  const first = limiter.run(() => new Promise<void>((resolve) => (release = resolve)))
  const second = limiter.run(() => Promise.reject(new Error('second')))
  const third = await limiter.run(() => Promise.resolve()).catch((error: unknown) => error)
  expect(isQueueFull(third)).toBe(true)
  release()
  await first
  await expect(second).rejects.toThrow('second')
  await expect(limiter.run(() => Promise.resolve('free'))).resolves.toBe('free')
})

test('aborting leaves the queue, and a task that was aborted never starts', async () => {
  const limiter = createLimiter({ concurrent: 1, queue: 5 })
  let release: () => void = () => undefined
  const first = limiter.run(() => new Promise<void>((resolve) => (release = resolve)))
  const gone = new AbortController()
  let ran = false
  const aborted = limiter.run(() => Promise.resolve((ran = true)), gone.signal)
  gone.abort(new Error('gone'))
  await expect(aborted).rejects.toThrow('gone')
  expect(limiter.waiting()).toBe(0)
  release()
  await first
  await expect(limiter.run(() => Promise.resolve(1), gone.signal)).rejects.toThrow('gone')
  expect(ran).toBe(false)
  await expect(limiter.run(() => Promise.resolve(2))).resolves.toBe(2)
})
