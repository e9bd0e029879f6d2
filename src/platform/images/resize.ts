import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import sharp from 'sharp'
import type { Sharp } from 'sharp'
import { createLimiter } from '../limiter.ts'
import { imageError, toImageError } from './image-errors.ts'
import { inspectImage, maxHeldPixels } from './inspect.ts'
import type { ImageInfo } from './inspect.ts'

/** Longest edges in pixels of the sizes offered beside the original (`full`). */
export const imageSizes = { small: 160, medium: 600, large: 1500 } as const

export type ResizedImage = { data: Buffer; mimeType: string; width: number; height: number }

/** The type of a smaller copy of an image of this type. */
export function resizedType(mimeType: string): string {
  return /^image\/(jpeg|png|gif)$/.test(mimeType) ? mimeType : 'image/webp'
}

const timeoutSeconds = 30
const maxFrames = 500
// Decoding runs on the four threads that files and name look-ups also need; one thread per image.
const limiter = createLimiter({ concurrent: 2, queue: 200 })
sharp.concurrency(1)
// Files may change in place between two reads of the same path.
sharp.cache(false)

/**
 * Makes a smaller copy whose longest edge is at most `longestEdge` pixels; a smaller original keeps its size.
 * The copy is upright, in sRGB, and holds no metadata. JPEG, PNG, WebP and GIF stay what they are, animations
 * too unless they are huge (then their first frame); AVIF becomes WebP. A stream is first written to a temporary
 * file. Errors: `ImageError`, with `unsupported` also for what is no image.
 */
export async function resizeTo(
  input: string | Buffer | Readable,
  longestEdge: number,
): Promise<ResizedImage> {
  if (typeof input !== 'string' && !Buffer.isBuffer(input)) {
    return withTemporaryFile(input, (path) => resizeTo(path, longestEdge))
  }
  try {
    return await limiter.run(() => resize(input, longestEdge))
  } catch (error) {
    throw toImageError(error)
  }
}

async function resize(input: string | Buffer, longestEdge: number): Promise<ResizedImage> {
  const info = await inspectImage(input)
  if (info === null || !info.resizable) throw imageError('unsupported', 'this format cannot be decoded')
  const pixels = info.width * info.height
  const animated = info.frames > 1 && info.frames <= maxFrames && pixels * info.frames <= maxHeldPixels
  // The frame that is decoded was measured above; a file that changed since must not slip through.
  const limitInputPixels = animated ? maxHeldPixels : pixels
  const source = sharp(input, { animated, failOn: 'error', limitInputPixels })
  // A column of frames cannot be turned; animations carry no orientation in practice.
  const upright = animated ? source : source.autoOrient()
  const smaller = upright.resize({
    width: longestEdge,
    height: longestEdge,
    fit: 'inside',
    withoutEnlargement: true,
  })
  const { data, info: made } = await encode(smaller, info)
    .timeout({ seconds: timeoutSeconds })
    .toBuffer({ resolveWithObject: true })
  return { data, mimeType: `image/${made.format}`, width: made.width, height: made.pageHeight ?? made.height }
}

function encode(image: Sharp, info: ImageInfo): Sharp {
  if (info.format === 'jpeg') return image.jpeg({ quality: 82, progressive: true })
  if (info.format === 'png') return image.png({ compressionLevel: 6 })
  if (info.format === 'gif') return image.gif()
  return image.webp({ quality: 82 })
}

async function withTemporaryFile<T>(body: Readable, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'image-'))
  try {
    const path = join(folder, 'image')
    await pipeline(body, createWriteStream(path))
    return await use(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
