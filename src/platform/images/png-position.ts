import { crc32, inflateSync } from 'node:zlib'
import type { FileHandle } from 'node:fs/promises'
import { clearGpsDirectory, clearXmpPosition } from './clear-position.ts'
import { readAt } from './scan.ts'
import { readTiff, tiffBlock } from './tiff.ts'

const maxChunkBytes = 16 << 20
const maxChunks = 100_000
const textTypes = ['tEXt', 'zTXt', 'iTXt']
// Ancillary, private, safe to copy: every reader skips a chunk it does not know with these letter cases.
const paddingType = Buffer.from('vpAd')

/**
 * Removes position metadata from a PNG in place, without touching its pixels: from the eXIf chunk, from an XMP
 * packet, and by turning text chunks with a compressed or hex-coded profile that holds it into padding.
 */
export async function stripPngPosition(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  let changed = false
  for (let at = 8, chunks = 0; at + 12 <= size && chunks < maxChunks; chunks += 1) {
    const head = await readAt(file, at, 8)
    const length = head.readUInt32BE(0)
    const type = head.toString('latin1', 4, 8)
    if (at + 12 + length > size || type === 'IEND') break
    if ((type === 'eXIf' || textTypes.includes(type)) && length <= maxChunkBytes) {
      // Type and data, which is what the checksum covers.
      const body = await readAt(file, at + 4, length + 4)
      if (clearChunk(type, body)) {
        const sum = Buffer.alloc(4)
        sum.writeUInt32BE(crc32(body))
        await file.write(Buffer.concat([body, sum]), 0, body.length + 4, at + 4)
        changed = true
      }
    }
    at += 12 + length
  }
  return changed
}

function clearChunk(type: string, body: Buffer): boolean {
  if (type === 'eXIf') return clearGpsDirectory(tiffBlock(body.subarray(4)))
  const { keyword, text, compressed } = readText(type, body.subarray(4))
  if (/^xml:com\.adobe\.xmp$/i.test(keyword)) {
    if (!compressed) return clearXmpPosition(text)
    if (!hasXmpPosition(inflate(text))) return false
  } else if (/^raw profile type (exif|app1|xmp)$/i.test(keyword)) {
    if (!hasRawPosition(compressed ? inflate(text) : text)) return false
  } else if (!/^(exif:|xmp:)?gps\w*$/i.test(keyword)) return false
  paddingType.copy(body)
  body.fill(0, 4)
  return true
}

/** The parts of a tEXt (keyword, text), zTXt (keyword, method, text) or iTXt chunk (with flags and languages). */
function readText(type: string, data: Buffer): { keyword: string; text: Buffer; compressed: boolean } {
  const end = data.indexOf(0)
  if (end < 0) return { keyword: '', text: data.subarray(0, 0), compressed: false }
  const keyword = data.toString('latin1', 0, end)
  if (type === 'tEXt') return { keyword, text: data.subarray(end + 1), compressed: false }
  if (type === 'zTXt') return { keyword, text: data.subarray(end + 2), compressed: true }
  const language = data.indexOf(0, end + 3)
  const translated = data.indexOf(0, language + 1)
  return { keyword, text: data.subarray(translated + 1), compressed: data[end + 1] === 1 }
}

/** The inflated text, `null` if it is broken or absurdly long; such a chunk is not worth keeping. */
function inflate(data: Buffer): Buffer | null {
  try {
    return inflateSync(data, { maxOutputLength: maxChunkBytes })
  } catch {
    return null
  }
}

function hasXmpPosition(text: Buffer | null): boolean {
  return text === null || /:gps/i.test(text.toString('latin1'))
}

// A name, a length and hex digits, each on lines of their own.
function hasRawPosition(text: Buffer | null): boolean {
  if (text === null) return true
  const hex = text
    .toString('latin1')
    .replace(/^\s*\w+\s+\d+\s/, '')
    .replace(/\s/g, '')
  const profile = Buffer.from(hex, 'hex')
  return (
    hasXmpPosition(profile) || readTiff(tiffBlock(profile)).directories.some(({ kind }) => kind === 'gps')
  )
}
