import secureJson from 'secure-json-parse'
import { isStorable } from '../storable-text.ts'

/** A body that is JSON but holds text that cannot be stored: a NUL character or half of a surrogate pair. */
export class UnstorableTextError extends Error {}

/** A body that is not JSON. */
export class MalformedBodyError extends Error {}

type Done = (error: Error | null, body?: unknown) => void

/** Parses a JSON body; an empty one is an empty object, as the clients mean it. */
export function parseJson(text: string, done: Done): void {
  if (text.trim() === '') return done(null, {})
  let body: unknown
  try {
    body = secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    return done(new MalformedBodyError((error as Error).message))
  }
  // Cheap look first: only an escape (or a raw character) can bring such text in.
  if (/\\u(0000|[dD][89a-fA-F])|\0/.test(text) && holdsUnstorableText(body)) {
    return done(new UnstorableTextError('text holds a NUL character or half of a surrogate pair'))
  }
  done(null, body)
}

function holdsUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return !isStorable(value)
  if (Array.isArray(value)) return value.some(holdsUnstorableText)
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).some(([key, item]) => !isStorable(key) || holdsUnstorableText(item))
  }
  return false
}
