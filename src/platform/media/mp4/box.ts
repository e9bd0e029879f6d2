/** An ISO BMFF box of the given four-letter type. */
export function box(type: string, ...content: Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  let size = 8
  for (const part of content) size += part.length
  head.writeUInt32BE(size)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...content], size)
}

/** A box with version and flags. */
export function fullBox(type: string, version: number, flags: number, ...content: Buffer[]): Buffer {
  return box(type, u32(version * 0x1000000 + flags), ...content)
}

/** Unsigned 32-bit numbers, big-endian. */
export function u32(...values: number[]): Buffer {
  const out = Buffer.allocUnsafe(values.length * 4)
  values.forEach((value, index) => out.writeUInt32BE(value >>> 0, index * 4))
  return out
}

/** Unsigned 16-bit numbers, big-endian. */
export function u16(...values: number[]): Buffer {
  const out = Buffer.allocUnsafe(values.length * 2)
  values.forEach((value, index) => out.writeUInt16BE(value, index * 2))
  return out
}

/** Unsigned 64-bit numbers, big-endian; exact up to 2^53. */
export function u64(...values: number[]): Buffer {
  return u32(...values.flatMap((value) => [Math.floor(value / 2 ** 32), value % 2 ** 32]))
}
