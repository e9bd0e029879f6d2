import { randomBytes } from 'node:crypto'
import { now } from './clock.ts'

// ObjectId layout: 4 bytes of seconds, 5 random bytes for this process, a 3-byte counter.
const processPart = randomBytes(5).toString('hex')
let counter = randomBytes(3).readUIntBE(0, 3)

/** A new id: 24 lower-case hex characters, time-ordered to the second and unique across processes. */
export function newId(): string {
  counter = (counter + 1) & 0xffffff
  const seconds = Math.floor(now().getTime() / 1000)
  return seconds.toString(16).padStart(8, '0') + processPart + counter.toString(16).padStart(6, '0')
}

/** Random bytes, for keys. */
export function newKey(bytes: number): Buffer {
  return randomBytes(bytes)
}

/** A random secret of the given number of bytes, URL-safe base64. */
export function newSecret(bytes = 32): string {
  return randomBytes(bytes).toString('base64url')
}

/** A number from 0 up to 1, evenly spread: for pauses that shall differ. */
export function chance(): number {
  return randomBytes(4).readUInt32BE() / 2 ** 32
}
