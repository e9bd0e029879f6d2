/** Reads bits, most significant first. Reading past the end throws a RangeError. */
export type BitReader = { bits(count: number): number; flag(): boolean; ue(): number; se(): number }

/** A reader over the bytes; `ue` and `se` are the Exp-Golomb codes of H.264. */
export function createBitReader(bytes: Uint8Array): BitReader {
  let position = 0

  function bits(count: number): number {
    let value = 0
    for (let i = 0; i < count; i++, position++) {
      const byte = bytes[position >> 3]
      if (byte === undefined) throw new RangeError('ran out of bits')
      value = value * 2 + ((byte >> (7 - (position & 7))) & 1)
    }
    return value
  }

  function ue(): number {
    let zeros = 0
    while (bits(1) === 0) if (++zeros > 31) throw new RangeError('an Exp-Golomb code is too long')
    return 2 ** zeros - 1 + bits(zeros)
  }

  function se(): number {
    const code = ue()
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2
  }

  return { bits, flag: () => bits(1) === 1, ue, se }
}
