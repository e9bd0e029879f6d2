import { pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { outboundError } from './outbound-errors.ts'

// Lenient about a missing end mark; the length is bounded either way.
const zlibOptions = { finishFlush: constants.Z_SYNC_FLUSH }
const decoders: Record<string, (() => NodeJS.ReadWriteStream & Readable) | undefined> = {
  gzip: () => createGunzip(zlibOptions),
  'x-gzip': () => createGunzip(zlibOptions),
  deflate: () => createInflate(zlibOptions),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
}
/** What `readBody` can decode, for `Accept-Encoding`. */
export const acceptedEncodings = 'gzip, deflate, br'

export type BodyLimit = { maxBytes: number; truncate: boolean }

/**
 * Reads a response body, decoded, up to `maxBytes` of decoded data; beyond that it throws `tooLarge`, or stops
 * reading and says so if it may be truncated.
 */
export async function readBody(
  body: Readable,
  encoding: string,
  limit: BodyLimit,
): Promise<{ body: Buffer; truncated: boolean }> {
  body.on('error', () => undefined)
  const decoder = decoders[encoding.trim().toLowerCase()]?.()
  const source = decoder === undefined ? body : pipeline(body, decoder, () => undefined)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size <= limit.maxBytes) continue
    if (!limit.truncate)
      throw outboundError('tooLarge', `the response is larger than ${limit.maxBytes} bytes`)
    return { body: Buffer.concat(chunks, limit.maxBytes), truncated: true }
  }
  return { body: Buffer.concat(chunks), truncated: false }
}
