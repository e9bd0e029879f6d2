import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import type { Readable } from 'node:stream'
import { objectStoreError } from './object-store.ts'
import type { StoredObject } from './object-store.ts'

export type BodyLimits = {
  /** The body may be exactly this long, not one byte longer. */
  maxBytes: number
  signal?: AbortSignal
}

/**
 * Reads a stream to its end, counting and hashing, and hands on each chunk once the one before was taken.
 * Errors: `tooLarge`, `aborted`, and those of `take`. After an error the stream may hold more.
 */
export async function readBody(
  body: Readable,
  limits: BodyLimits,
  take: (chunk: Buffer) => Promise<void>,
): Promise<StoredObject> {
  const hash = createHash('sha256')
  let size = 0
  const source = limits.signal === undefined ? body : addAbortSignal(limits.signal, body)
  for await (const chunk of chunksOf(source)) {
    size += chunk.length
    if (size > limits.maxBytes) throw tooLarge(limits.maxBytes)
    hash.update(chunk)
    await take(chunk)
  }
  // Form parsers end a part at their own limit without an error and only set this flag.
  if ('truncated' in body && body.truncated === true) throw tooLarge(limits.maxBytes)
  return { size, sha256: hash.digest('hex') }
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
