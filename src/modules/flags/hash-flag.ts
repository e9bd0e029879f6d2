import { createHash } from 'node:crypto'

/** A Bloom filter over the internal ids of those who flagged an object, as the wire shows it. */
export interface HashFlag {
  /** Size of the filter in bits. */
  bits: number
  /** How many bits each id sets. */
  hashes: number
  /** The filter, 16 bytes a string, lower-case hex. */
  hash: string[]
}

const bits = 1024
const hashes = 7
const wordBytes = 16

/** The filter over some ids; null over none. A client asks it "did I flag this?" without a request. */
export function hashFlagOf(userIds: string[]): HashFlag | null {
  if (userIds.length === 0) return null
  const filter = Buffer.alloc(bits / 8)
  for (const id of userIds) for (const bit of bitsOf(id)) filter[bit >> 3]! |= 1 << (bit & 7)
  const hash = Array.from({ length: filter.length / wordBytes }, (_, i) =>
    filter.subarray(i * wordBytes, (i + 1) * wordBytes).toString('hex'),
  )
  return { bits, hashes, hash }
}

/** Whether an id may be in the filter: never wrong when it says no, wrong in under 1 % of the rest up to 100 ids. */
export function mayHold({ hash }: HashFlag, userId: string): boolean {
  const filter = Buffer.from(hash.join(''), 'hex')
  return bitsOf(userId).every((bit) => (filter[bit >> 3]! & (1 << (bit & 7))) !== 0)
}

// Double hashing over SHA-256: bit i is first + i * second.
function bitsOf(id: string): number[] {
  const digest = createHash('sha256').update(id).digest()
  const first = digest.readUInt32BE(0)
  const second = (digest.readUInt32BE(4) | 1) >>> 0
  return Array.from({ length: hashes }, (_, i) => (first + i * second) % bits)
}
