import type { IncomingHttpHeaders } from 'node:http'
import { evaluatePreconditions, rangeStillValid } from './conditional.ts'
import type { Validators } from './conditional.ts'
import { contentDisposition } from './content-disposition.ts'
import { parseRange } from './range.ts'
import type { SatisfiableRange } from './range.ts'

/** How to answer a read of stored bytes: `body` says which bytes to send after the headers. */
export type ContentAnswer = {
  status: 200 | 206 | 304 | 412 | 416
  headers: Record<string, string>
  body: SatisfiableRange | 'whole' | 'none'
}

/** Decides how to answer a GET or HEAD of an entity with ranges and validators (RFC 9110, 13 to 15). */
export function answerContent(
  request: { method: string; headers: IncomingHttpHeaders },
  entity: Validators & { size: number },
): ContentAnswer {
  const validators = {
    ...(entity.etag === undefined ? {} : { etag: entity.etag }),
    ...(entity.modifiedAt === undefined ? {} : { 'last-modified': entity.modifiedAt.toUTCString() }),
  }
  const verdict = evaluatePreconditions(request.headers, entity)
  if (verdict === 412) return { status: 412, headers: { 'content-length': '0' }, body: 'none' }
  if (verdict === 304) return { status: 304, headers: validators, body: 'none' }

  const headers = { ...validators, 'accept-ranges': 'bytes' }
  const whole = { ...headers, 'content-length': String(entity.size) }
  if (request.method !== 'GET') return { status: 200, headers: whole, body: 'none' }
  const usable = rangeStillValid(request.headers['if-range']?.toString(), entity)
  const range = usable ? parseRange(request.headers.range, entity.size) : 'whole'
  if (range === 'whole') return { status: 200, headers: whole, body: 'whole' }
  if (range === 'unsatisfiable') {
    const refusal = { ...headers, 'content-range': `bytes */${entity.size}`, 'content-length': '0' }
    return { status: 416, headers: refusal, body: 'none' }
  }
  const part = {
    ...headers,
    'content-range': `bytes ${range.start}-${range.end}/${entity.size}`,
    'content-length': String(range.end - range.start + 1),
  }
  return { status: 206, headers: part, body: range }
}

// What a browser shows without running anything of the uploader's in our origin. SVG and HTML are not inert.
const inert =
  /^(image\/(png|jpeg|gif|webp|avif|heic|heif|bmp)|video\/[\w.+-]+|audio\/[\w.+-]+|text\/plain|application\/pdf)$/

/**
 * Headers that make it safe to serve a user's upload: its type without sniffing, shown in place only if inert,
 * otherwise as a download in a sandbox. A malformed type becomes `application/octet-stream`.
 */
export function uploadHeaders(upload: { mimeType: string; name: string }): Record<string, string> {
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(upload.mimeType)
    ? upload.mimeType.toLowerCase()
    : 'application/octet-stream'
  const shown = inert.test(mimeType)
  return {
    'content-type': mimeType,
    'content-disposition': contentDisposition(shown ? 'inline' : 'attachment', upload.name),
    'x-content-type-options': 'nosniff',
    ...(shown ? {} : { 'content-security-policy': "default-src 'none'; sandbox" }),
  }
}
