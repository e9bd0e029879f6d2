import { open } from 'node:fs/promises'
import sharp from 'sharp'
import type { Metadata } from 'sharp'
import { readExif } from './exif.ts'
import type { ExifMap } from './exif.ts'
import { imageFormatOf } from './format.ts'
import type { ImageFormat } from './format.ts'
import { imageError, toImageError } from './image-errors.ts'

export type ImageInfo = {
  format: ImageFormat
  /** Pixels as shown, that is after turning by `orientation`. */
  width: number
  height: number
  /** EXIF orientation, 1 to 8; 1 is upright. */
  orientation: number
  frames: number
  hasAlpha: boolean
  /** False if only the outline is readable and no smaller sizes can be made (HEIC). */
  resizable: boolean
  exif: ExifMap
  gps: ExifMap
}

// Decoders that stream need little memory per pixel; the others hold the whole picture, or all its frames.
const maxStreamedPixels = 200_000_000
export const maxHeldPixels = 64_000_000

/**
 * Reads what an image says about itself without decoding its pixels; a broken body may show only on resizing.
 * `null` if the bytes are no image of the accepted formats. Errors: `corrupt`, `tooManyPixels`.
 */
export async function inspectImage(input: string | Buffer): Promise<ImageInfo | null> {
  const format = imageFormatOf(typeof input === 'string' ? await readHead(input) : input)
  if (format === null) return null
  const metadata = await readMetadata(input)
  const { width, height } = metadata.autoOrient
  const frames = format === 'gif' || format === 'webp' ? (metadata.pages ?? 1) : 1
  const streamed = (format === 'jpeg' || format === 'png') && !metadata.isProgressive
  if (width * height > (streamed ? maxStreamedPixels : maxHeldPixels)) {
    throw imageError('tooManyPixels', `${width} x ${height} pixels are too many`)
  }
  return {
    format: metadata.compression === 'av1' ? 'avif' : format,
    width,
    height,
    orientation: metadata.orientation ?? 1,
    frames,
    hasAlpha: metadata.hasAlpha,
    resizable: metadata.compression !== 'hevc',
    ...readExif(metadata.exif),
  }
}

async function readMetadata(input: string | Buffer): Promise<Metadata> {
  try {
    return await sharp(input, { limitInputPixels: false }).metadata()
  } catch (error) {
    throw toImageError(error)
  }
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
