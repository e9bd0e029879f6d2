import type { IncomingHttpHeaders } from 'node:http'

/** What identifies the current state of an entity. `etag` is quoted and strong, as `strongEtag` makes it. */
export type Validators = { etag?: string; modifiedAt?: Date }

/** A strong entity tag of a value without quotes or spaces, such as a hash. */
export function strongEtag(value: string): string {
  return `"${value.replace(/[^\x21\x23-\x7e]/g, '')}"`
}

/**
 * Evaluates the preconditions of a read in the order of RFC 9110, 13.2.2: 412 when the client's copy had to
 * match and does not, 304 when the client's copy is current, else `proceed`. Malformed dates are ignored.
 */
export function evaluatePreconditions(
  headers: IncomingHttpHeaders,
  current: Validators,
): 'proceed' | 304 | 412 {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined) {
    if (!listHas(ifMatch, current.etag, 'strong')) return 412
  } else {
    const unmodifiedSince = seconds(headers['if-unmodified-since'])
    if (unmodifiedSince !== null && modified(current) > unmodifiedSince) return 412
  }
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return listHas(ifNoneMatch, current.etag, 'weak') ? 304 : 'proceed'
  const modifiedSince = seconds(headers['if-modified-since'])
  return modifiedSince !== null && modified(current) <= modifiedSince ? 304 : 'proceed'
}

/**
 * Whether `Range` may be honoured under `If-Range` (RFC 9110, 13.1.5): no such header, the same strong tag, or
 * exactly the current modification date.
 */
export function rangeStillValid(ifRange: string | undefined, current: Validators): boolean {
  if (ifRange === undefined) return true
  const value = ifRange.trim()
  if (value.startsWith('"')) return value === current.etag
  return current.modifiedAt !== undefined && seconds(value) === modified(current)
}

// `W/` never matches strongly. A tag may hold commas, so the list is not simply split at them.
function listHas(list: string, etag: string | undefined, strength: 'weak' | 'strong'): boolean {
  if (list.trim() === '*') return true
  if (etag === undefined) return false
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => tag === etag || (strength === 'weak' && tag === `W/${etag}`))
}

// HTTP dates carry whole seconds.
function seconds(date: string | undefined): number | null {
  const time = date !== undefined && /\d\d:\d\d:\d\d/.test(date) ? Date.parse(date) : NaN
  return Number.isNaN(time) ? null : time / 1000
}

function modified(current: Validators): number {
  return current.modifiedAt === undefined ? Infinity : Math.floor(current.modifiedAt.getTime() / 1000)
}
