import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { elapsed } from '../../clock.ts'
import { flvFileHeader } from '../flv/tag.ts'

export type Checkpoint = { bytes: number; timestamp: number }

/** Appends tags to the source recording. What was flushed survives the end of this process at any moment. */
export type Recorder = {
  write(tag: Buffer, timestamp: number): void
  /** Bytes accepted but not yet handed to the system. */
  pendingBytes(): number
  /** The first error of the disk; from then on nothing more is kept. */
  failure(): string | null
  close(): Promise<void>
}

export type RecorderHandlers = {
  /** Everything up to here is safely on disk, also against loss of power. */
  checkpoint(point: Checkpoint): Promise<void>
  drained(): void
  failed(error: Error): void
}

const flushMs = 500
const syncMs = 10_000

/** Opens the file for appending; writes the FLV header when it is new. */
export async function openRecorder(path: string, handlers: RecorderHandlers): Promise<Recorder> {
  await mkdir(dirname(path), { recursive: true })
  const file: FileHandle = await open(path, 'a')
  let written = (await file.stat()).size
  let queue: Buffer[] = []
  let queued = 0
  let newest = 0
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let failure: Error | null = null
  let syncedAt = elapsed()
  if (written === 0) enqueue(flvFileHeader({ audio: true, video: true }))

  function enqueue(bytes: Buffer): void {
    queue.push(bytes)
    queued += bytes.length
    timer ??= setTimeout(() => void flush(), flushMs)
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    running ??= writeAll().finally(() => (running = null))
    return running
  }

  async function writeAll(): Promise<void> {
    try {
      while (queue.length > 0 && !failure) {
        const bytes = Buffer.concat(queue)
        const timestamp = newest
        queue = []
        await file.appendFile(bytes)
        written += bytes.length
        queued -= bytes.length
        if (elapsed() - syncedAt > syncMs) await sync(timestamp)
      }
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
      queue = []
      queued = 0
      handlers.failed(failure)
    }
    handlers.drained()
  }

  async function sync(timestamp: number): Promise<void> {
    syncedAt = elapsed()
    const point = { bytes: written, timestamp }
    await file.datasync()
    await handlers.checkpoint(point)
  }

  return {
    write(tag, timestamp) {
      if (failure) return
      newest = Math.max(newest, timestamp)
      enqueue(tag)
    },
    pendingBytes: () => queued,
    failure: () => failure?.message ?? null,
    async close() {
      await flush()
      // A round that was already running may have ended before the last tags came.
      await flush()
      if (!failure) await sync(newest).catch(handlers.failed)
      await file.close()
    },
  }
}
