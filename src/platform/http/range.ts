/** Bytes `start` to `end` of an entity, both inclusive and within it. */
export type SatisfiableRange = { start: number; end: number }

/**
 * Reads a `Range` header for an entity of `size` bytes (RFC 9110, 14.1.2 and 14.2): `whole` when there is no
 * header, it is malformed, in another unit, or asks for several ranges (a server may answer those whole);
 * `unsatisfiable` is answered with 416.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): SatisfiableRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '')
  if (match === null) return 'whole'
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return 'whole'
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? Infinity : Number(last)
  if (end < start) return 'whole'
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) }
}
