import type { WireError } from './protocol.ts'

/**
 * A copy that can cross the process border: data only. Functions and accessors are left out, because the
 * client's objects carry getters that pull in other objects (`post.creator`) without end.
 */
export function toPlain(value: unknown, ancestors: readonly object[] = []): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (ancestors.includes(value)) return '[circular]'
  if (value instanceof Error) return toWireError(value)
  if (value instanceof Date || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value
  const path = [...ancestors, value]
  if (Array.isArray(value)) return value.map((item) => toPlain(item, path))
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, toPlain(item, path)]))
  if (value instanceof Set) return new Set([...value].map((item) => toPlain(item, path)))
  const copy: Record<string, unknown> = {}
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (!property.enumerable || property.get || typeof property.value === 'function') continue
    copy[key] = toPlain(property.value, path)
  }
  return copy
}

/** An error as data. Thrown values that are no errors keep their text. */
export function toWireError(thrown: unknown): WireError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: `thrown: ${describe(thrown)}` }
  const { name, message, stack } = thrown
  return { name, message, stack, ...('code' in thrown && { code: toPlain(thrown.code) }) }
}

/** The error again, in the test's process, with the client's stack. */
export function fromWireError({ name, message, stack, code, cause }: WireError): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause: new Error(cause) })
  return Object.assign(error, { name, stack, ...(code !== undefined && { code }) })
}

function describe(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(toPlain(value)) : String(value)
}
