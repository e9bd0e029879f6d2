import { errorKind } from './typed-error.ts'

const limiterErrors = errorKind<'queueFull'>('LimiterError')

/** Whether a task was refused because too many already wait. */
export const isQueueFull = limiterErrors.is

/** Runs tasks, a bounded number at a time. */
export type Limiter = {
  /**
   * Runs the task when its turn comes. Rejects with a `queueFull` error when too many wait already, and with
   * the signal's reason when it is aborted before the task has started.
   */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Tasks that wait for their turn. */
  waiting(): number
}

/** Bounds concurrency: at most `concurrent` tasks run, at most `queue` wait, first come first served. */
export function createLimiter(limits: { concurrent: number; queue: number }): Limiter {
  const queue = new Set<() => void>()
  let running = 0

  async function turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (running < limits.concurrent) {
      running += 1
      return
    }
    if (queue.size >= limits.queue) throw limiterErrors.make('queueFull', 'too many tasks are waiting')
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        queue.delete(start)
        reject(signal?.reason as Error)
      }
      queue.add(start)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  // The place of a finished task passes straight to the longest waiting one, so `running` stays as it is.
  function pass(): void {
    const [next] = queue
    if (next === undefined) {
      running -= 1
      return
    }
    queue.delete(next)
    next()
  }

  return {
    async run(task, signal) {
      await turn(signal)
      try {
        return await task()
      } finally {
        pass()
      }
    },
    waiting: () => queue.size,
  }
}
