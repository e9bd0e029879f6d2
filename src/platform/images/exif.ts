import { exifTags, gpsTags } from './exif-tags.ts'
import { readTiff, readU16, readU32, tiffBlock } from './tiff.ts'
import type { TiffEntry } from './tiff.ts'

export type ExifValue = string | number | number[]
export type ExifMap = Record<string, ExifValue>

const maxTextLength = 500
const maxNumbers = 16

/**
 * Reads an EXIF block into two flat, JSON-safe maps by standard tag name. Rationals become numbers, text is cut
 * at 500 characters and holds no control characters. Never throws; unreadable fields are left out.
 */
export function readExif(data: Buffer | undefined): { exif: ExifMap; gps: ExifMap } {
  const maps = { exif: {} as ExifMap, gps: {} as ExifMap }
  if (data === undefined) return maps
  const block = tiffBlock(data)
  const { littleEndian, directories } = readTiff(block)
  for (const { kind, entries } of directories) {
    const [map, names] = kind === 'gps' ? [maps.gps, gpsTags] : [maps.exif, exifTags]
    for (const entry of entries) {
      const name = names.get(entry.tag)
      const value = name === undefined ? null : readValue(block, entry, littleEndian)
      if (name !== undefined && value !== null) map[name] ??= value
    }
  }
  return maps
}

function readValue(block: Buffer, entry: TiffEntry, littleEndian: boolean): ExifValue | null {
  if (entry.count === 0) return null
  if (entry.type === 2) return readText(block.subarray(entry.valueAt, entry.valueAt + entry.bytes))
  const read = numberReaders[entry.type]
  if (read === undefined || entry.count > maxNumbers) return null
  const step = entry.bytes / entry.count
  const numbers = Array.from({ length: entry.count }, (_, i) =>
    read(block, entry.valueAt + i * step, littleEndian),
  )
  if (!numbers.every(Number.isFinite)) return null
  return numbers.length === 1 ? (numbers[0] ?? null) : numbers
}

function readText(bytes: Buffer): string | null {
  const [text = ''] = bytes.toString('utf8').split('\0')
  const clean = text
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, maxTextLength)
  return clean === '' ? null : Buffer.from(clean).toString()
}

type NumberReader = (block: Buffer, at: number, littleEndian: boolean) => number

const readS32: NumberReader = (block, at, le) => (le ? block.readInt32LE(at) : block.readInt32BE(at))

// By TIFF type number; a rational with a zero below is no number and drops its field.
const numberReaders: Record<number, NumberReader | undefined> = {
  1: (block, at) => block.readUInt8(at),
  3: readU16,
  4: readU32,
  5: (block, at, le) => readU32(block, at, le) / readU32(block, at + 4, le),
  6: (block, at) => block.readInt8(at),
  8: (block, at, le) => (le ? block.readInt16LE(at) : block.readInt16BE(at)),
  9: readS32,
  10: (block, at, le) => readS32(block, at, le) / readS32(block, at + 4, le),
  11: (block, at, le) => (le ? block.readFloatLE(at) : block.readFloatBE(at)),
  12: (block, at, le) => (le ? block.readDoubleLE(at) : block.readDoubleBE(at)),
}
