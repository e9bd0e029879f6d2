import { pointerTags, readTiff, readU16 } from './tiff.ts'

const entryBytes = 12

/**
 * Removes the GPS directory from a TIFF block in place: its fields and values become zeros and the pointer to it
 * is taken out of its directory, so the block keeps its length. Returns whether there was one.
 */
export function clearGpsDirectory(block: Buffer): boolean {
  const { littleEndian, directories } = readTiff(block)
  let found = directories.some(({ kind }) => kind === 'gps')
  for (const { kind, at, entries } of directories) {
    if (kind !== 'gps') continue
    for (const { valueAt, bytes } of entries) if (bytes > 0) block.fill(0, valueAt, valueAt + bytes)
    block.fill(0, at, at + 2 + entries.length * entryBytes)
  }
  for (const { at, entries } of directories) {
    // Backwards, so that closing one gap does not move the next.
    for (const { tag, at: entry } of entries.toReversed()) {
      if (tag !== pointerTags.gps || readU16(block, entry, littleEndian) !== tag) continue
      const count = readU16(block, at, littleEndian)
      if (count === 0) continue
      found = true
      const end = Math.min(at + 2 + count * entryBytes + 4, block.length)
      block.copyWithin(entry, entry + entryBytes, end)
      block.fill(0, end - entryBytes, end)
      if (littleEndian) block.writeUInt16LE(count - 1, at)
      else block.writeUInt16BE(count - 1, at)
    }
  }
  return found
}

const positionAttribute = /(:gps\w*\s*=\s*)("[^"]*"|'[^']*')/gi
const positionElement = /^<([\w.-]*:?gps\w*)[^<>]*(?<!\/)>$/i

// A packet split over several segments has their binary headers between its parts; those must survive.
const binary = /[\0-\x08]/

/**
 * Blanks the values of position properties in an XMP packet in place, with spaces, so that it stays well-formed
 * XML of the same length. They come as attributes (`exif:GPSLatitude="51,30N"`), as elements, and with the names
 * of drone makers (`drone-dji:GpsLatitude`). Returns whether anything was there.
 */
export function clearXmpPosition(packet: Buffer): boolean {
  const text = packet.toString('latin1')
  let closing: string | null = null
  const cleared = text.replace(/<[^<>]*>|[^<]+/g, (token) => {
    if (binary.test(token)) return token
    if (!token.startsWith('<')) return closing === null ? token : ' '.repeat(token.length)
    if (closing === null) closing = closingTag(token)
    else if (token.replace(/\s/g, '') === closing) closing = null
    return token.replace(positionAttribute, (_, name: string, value: string) => name + blankQuoted(value))
  })
  if (cleared === text) return false
  packet.write(cleared, 'latin1')
  return true
}

function closingTag(token: string): string | null {
  const name = positionElement.exec(token)?.[1]
  return name === undefined ? null : `</${name}>`
}

function blankQuoted(value: string): string {
  const [quote = '"'] = value
  return quote + ' '.repeat(value.length - 2) + quote
}
