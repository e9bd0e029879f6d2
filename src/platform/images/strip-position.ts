import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import sharp from 'sharp'
import { clearGpsDirectory, clearXmpPosition } from './clear-position.ts'
import { imageFormatOf } from './format.ts'
import { stripPngPosition } from './png-position.ts'
import { findAll, readAt } from './scan.ts'
import { tiffBlock } from './tiff.ts'

const exifHeader = Buffer.from('Exif\0\0', 'latin1')
const maxExifBytes = 64 * 1024
const maxXmpBytes = 4 << 20

/**
 * Removes the recorded position (EXIF GPS, XMP GPS properties) from an image file, without loss: only metadata
 * bytes are overwritten in place, the file keeps its length and every pixel its value. Covers JPEG with all its
 * embedded pictures, PNG, WebP, AVIF, HEIC and the XMP of GIF. Returns whether the file was changed.
 * Captions (IPTC city or country, typed by people) and trailing video of "motion photos" are left alone.
 */
export async function stripPosition(path: string): Promise<boolean> {
  const file = await open(path, 'r+')
  try {
    const format = imageFormatOf(await readAt(file, 0, 64))
    if (format === null) return false
    const changed = format === 'png' ? await stripPngPosition(file) : await stripInPlace(file, path)
    if (changed) await file.sync()
    return changed
  } finally {
    await file.close()
  }
}

async function stripInPlace(file: FileHandle, path: string): Promise<boolean> {
  const places = [...(await markedExif(file)), ...(await unmarkedExif(file, path))]
  let changed = false
  for (const { at, length } of places) changed = (await edit(file, at, length, clearGpsDirectory)) || changed
  const starts = await findAll(file, Buffer.from('<rdf:RDF'))
  const ends = await findAll(file, Buffer.from('</rdf:RDF'))
  for (const at of starts) {
    const end = ends.find((each) => each > at)
    if (end === undefined || end - at > maxXmpBytes) continue
    changed = (await edit(file, at, end - at, clearXmpPosition)) || changed
  }
  return changed
}

async function edit(
  file: FileHandle,
  at: number,
  length: number,
  clear: (bytes: Buffer) => boolean,
): Promise<boolean> {
  const bytes = await readAt(file, at, length)
  if (!clear(bytes)) return false
  await file.write(bytes, 0, bytes.length, at)
  return true
}

/** TIFF blocks after an `Exif\0\0` mark, also those of pictures embedded behind the main one. */
async function markedExif(file: FileHandle): Promise<{ at: number; length: number }[]> {
  const found: { at: number; length: number }[] = []
  for (const mark of await findAll(file, exifHeader)) {
    const before = await readAt(file, Math.max(mark - 4, 0), 4)
    // In a JPEG the segment's length stands before the mark and bounds what may be touched.
    const segment =
      before.length === 4 && before.readUInt16BE(0) === 0xffe1 ? before.readUInt16BE(2) - 8 : maxExifBytes
    found.push({ at: mark + exifHeader.length, length: Math.max(segment, 0) })
  }
  return found
}

/** WebP and AVIF may hold the TIFF block without that mark: where the decoder's copy occurs in the file. */
async function unmarkedExif(file: FileHandle, path: string): Promise<{ at: number; length: number }[]> {
  const metadata = await sharp(path)
    .metadata()
    .catch(() => null)
  if (metadata?.exif === undefined) return []
  const block = tiffBlock(metadata.exif)
  return (await findAll(file, block)).map((at) => ({ at, length: block.length }))
}
