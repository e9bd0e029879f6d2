import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import type { Readable } from 'node:stream'
import { errorCode } from '../typed-error.ts'
import { objectStoreError } from './object-store.ts'
import type { StoredObject } from './object-store.ts'

export type BodyLimits = {
  /** The body may be exactly this long, not one byte longer. */
  maxBytes: number
  signal?: AbortSignal
}

/**
 * Writes a stream to an open file, counting and hashing, and syncs it to the disk.
 * Errors: `tooLarge`, `storageFull`, `aborted`. After an error the stream may hold more; the file stays open.
 */
export async function writeBody(body: Readable, file: FileHandle, limits: BodyLimits): Promise<StoredObject> {
  const hash = createHash('sha256')
  let size = 0
  const source = limits.signal === undefined ? body : addAbortSignal(limits.signal, body)
  for await (const chunk of chunksOf(source)) {
    size += chunk.length
    if (size > limits.maxBytes) throw tooLarge(limits.maxBytes)
    hash.update(chunk)
    await storing(file.writeFile(chunk))
  }
  // Form parsers end a part at their own limit without an error and only set this flag.
  if ('truncated' in body && body.truncated === true) throw tooLarge(limits.maxBytes)
  await storing(file.sync())
  return { size, sha256: hash.digest('hex') }
}

/** Makes new or renamed entries of a folder durable. Windows offers no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Passes a file-system promise on, with a used-up disk or quota as `storageFull`. */
export async function storing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(errorCode(error))) throw error
    throw objectStoreError('storageFull', 'no space left to store this', error)
  }
}

async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  const chunks = body.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const next: IteratorResult<Buffer | string> = await chunks.next().catch((error: unknown) => {
        throw objectStoreError('aborted', 'the body ended before it was complete', error)
      })
      if (next.done) return
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value
    }
  } finally {
    await chunks.return?.()
  }
}

function tooLarge(maxBytes: number): Error {
  return objectStoreError('tooLarge', `the body is larger than ${maxBytes} bytes`)
}
