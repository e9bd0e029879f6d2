/** One field of a TIFF directory, as EXIF uses them. Offsets are into the TIFF block. */
export type TiffEntry = {
  tag: number
  type: number
  count: number
  at: number
  valueAt: number
  bytes: number
}
export type TiffDirectory = { kind: 'image' | 'exif' | 'gps'; at: number; entries: TiffEntry[] }
export type Tiff = { littleEndian: boolean; directories: TiffDirectory[] }

export const pointerTags = { exif: 0x8769, gps: 0x8825 } as const
const entryBytes = 12
const maxEntries = 512
// BYTE, ASCII, SHORT, LONG, RATIONAL, SBYTE, UNDEFINED, SSHORT, SLONG, SRATIONAL, FLOAT, DOUBLE
const unitBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

/** Drops the `Exif\0\0` that some containers put before the TIFF block. The result shares the memory. */
export function tiffBlock(data: Buffer): Buffer {
  return data.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? data.subarray(6) : data
}

/**
 * Finds the main, EXIF and GPS directories of a TIFF block. Never throws: what lies outside the block, comes
 * twice or is absurdly long is left out, and a block that is not TIFF has no directories.
 */
export function readTiff(data: Buffer): Tiff {
  const order = data.subarray(0, 4).toString('latin1')
  const littleEndian = order === 'II*\0'
  const tiff: Tiff = { littleEndian, directories: [] }
  if ((!littleEndian && order !== 'MM\0*') || data.length < 8) return tiff
  const seen = new Set<number>()

  function visit(kind: TiffDirectory['kind'], at: number): void {
    if (at < 8 || at + 2 > data.length || seen.has(at)) return
    seen.add(at)
    const entries = readDirectory(data, at, littleEndian)
    tiff.directories.push({ kind, at, entries })
    if (kind === 'gps') return
    for (const { tag, at: entry } of entries) {
      if (tag === pointerTags.exif && kind === 'image') visit('exif', readU32(data, entry + 8, littleEndian))
      if (tag === pointerTags.gps) visit('gps', readU32(data, entry + 8, littleEndian))
    }
  }
  visit('image', readU32(data, 4, littleEndian))
  return tiff
}

export function readU16(data: Buffer, at: number, littleEndian: boolean): number {
  return littleEndian ? data.readUInt16LE(at) : data.readUInt16BE(at)
}

export function readU32(data: Buffer, at: number, littleEndian: boolean): number {
  return littleEndian ? data.readUInt32LE(at) : data.readUInt32BE(at)
}

function readDirectory(data: Buffer, at: number, littleEndian: boolean): TiffEntry[] {
  const count = Math.min(readU16(data, at, littleEndian), maxEntries)
  const entries: TiffEntry[] = []
  for (let entry = at + 2; entries.length < count && entry + entryBytes <= data.length; entry += entryBytes) {
    const type = readU16(data, entry + 2, littleEndian)
    const units = readU32(data, entry + 4, littleEndian)
    const bytes = units * (unitBytes[type] ?? 0)
    // Up to four bytes are kept in the entry itself, longer values elsewhere.
    const valueAt = bytes <= 4 ? entry + 8 : readU32(data, entry + 8, littleEndian)
    const inside = valueAt + bytes <= data.length
    entries.push({
      tag: readU16(data, entry, littleEndian),
      type,
      count: inside ? units : 0,
      at: entry,
      valueAt,
      bytes: inside ? bytes : 0,
    })
  }
  return entries
}
