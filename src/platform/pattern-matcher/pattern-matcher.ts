import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createLimiter } from '../limiter.ts'

/** Regular expressions from outside, ready to be matched. Without `g` and `y`, which would make them remember. */
export interface PatternList {
  readonly id: number
  readonly patterns: readonly RegExp[]
}

const timeoutMs = 1000
const limiter = createLimiter({ concurrent: 1, queue: 1000 })
const maxLoaded = 8
let lists = 0
let thread: Thread | null = null

interface Thread {
  worker: Worker
  /** Lists it holds already, the longest unused first. */
  loaded: Set<number>
}

export function createPatternList(patterns: RegExp[]): PatternList {
  return { id: ++lists, patterns }
}

/**
 * The index of the first pattern that is found in one of the texts, -1 for none. `null` when that is not known after
 * a second: some patterns take for ever on some texts, so they are matched in a thread that is ended then. Throws a
 * `queueFull` error (`isQueueFull`) when 1,000 others wait.
 */
export async function findMatch(list: PatternList, texts: string[]): Promise<number | null> {
  if (list.patterns.length === 0 || texts.length === 0) return -1
  return limiter.run(async () => ask((thread ??= await startThread()), list, texts))
}

function ask({ worker, loaded }: Thread, list: PatternList, texts: string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const answer = (index: number | null) => {
      clearTimeout(timer)
      worker.off('message', answer).off('exit', giveUp)
      worker.unref()
      resolve(index)
    }
    const giveUp = () => {
      thread = null
      void worker.terminate()
      answer(null)
    }
    const timer = setTimeout(giveUp, timeoutMs)
    const isNew = !loaded.delete(list.id)
    loaded.add(list.id)
    const forgotten = [...loaded].slice(0, -maxLoaded)
    forgotten.forEach((id) => loaded.delete(id))
    worker.on('message', answer).on('exit', giveUp)
    worker.ref()
    worker.postMessage({ id: list.id, texts, forgotten, ...(isNew && { patterns: list.patterns }) })
  })
}

async function startThread(): Promise<Thread> {
  const worker = new Worker(new URL('./match-worker.js', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  await once(worker, 'message')
  const started = { worker, loaded: new Set<number>() }
  // Whatever ends the thread later is seen as its exit; idle, it keeps no process alive.
  worker.on('error', () => undefined)
  worker.once('exit', () => {
    if (thread === started) thread = null
  })
  worker.unref()
  return started
}
