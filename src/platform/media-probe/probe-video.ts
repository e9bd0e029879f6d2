import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createLimiter } from '../limiter.ts'
import type { MediaInfo } from './read-media.ts'

export type { MediaInfo } from './read-media.ts'

const timeoutMs = 5_000
const limiter = createLimiter({ concurrent: 1, queue: 500 })
let worker: Worker | null = null

/**
 * Duration, size and codecs of a video or audio file: MP4, MOV, MKV, WebM, TS, MP3, WAV, Ogg, FLAC, AAC.
 * `null` if the file is none of these, is damaged, or takes longer than five seconds to understand. It is read in
 * a worker thread, because a crafted file can keep the reader busy for minutes. Throws a `queueFull` error
 * (`isQueueFull`) when 500 files wait.
 */
export function probeVideo(path: string): Promise<MediaInfo | null> {
  return limiter.run(async () => {
    worker ??= await startWorker()
    return ask(worker, path)
  })
}

function ask(asked: Worker, path: string): Promise<MediaInfo | null> {
  return new Promise((resolve) => {
    const answer = (info: MediaInfo | null) => {
      clearTimeout(timer)
      asked.off('message', answer).off('exit', giveUp)
      asked.unref()
      resolve(info)
    }
    // Stuck, out of memory or crashed: the next file gets a new thread.
    const giveUp = () => {
      worker = null
      void asked.terminate()
      answer(null)
    }
    const timer = setTimeout(giveUp, timeoutMs)
    asked.on('message', answer).on('exit', giveUp)
    asked.ref()
    asked.postMessage(path)
  })
}

async function startWorker(): Promise<Worker> {
  const started = new Worker(new URL('./start-media-worker.js', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  await once(started, 'message')
  // Whatever ends the thread later is seen as its exit; idle, it keeps no process alive.
  started.on('error', () => undefined)
  started.once('exit', () => {
    if (worker === started) worker = null
  })
  started.unref()
  return started
}
