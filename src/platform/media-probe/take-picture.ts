import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { createLimiter } from '../limiter.ts'

const run = promisify(execFile)
const limiter = createLimiter({ concurrent: 1, queue: 100 })
const program = 'ffmpeg'
const decodeMs = 10_000
const maxBytes = 8 * 2 ** 20
/** The longer side fits into this many pixels. */
const maxPixels = 1280

// The program guesses formats, and some of those it knows make it open other files.
const demuxers: Record<string, string> = {
  'video/mp4': 'mov',
  'video/x-m4v': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
  'video/x-matroska': 'matroska',
  'video/mp2t': 'mpegts',
}

export interface Picture {
  jpeg: Buffer
  width: number
  height: number
}

/**
 * A JPEG of the first picture of a video, turned as it is shown. `null` if the machine has no `ffmpeg` (there is no
 * free decoder for all codecs), if it cannot be decoded in ten seconds, or if 100 videos wait.
 */
export async function takePicture(path: string, mimeType: string): Promise<Picture | null> {
  const demuxer = demuxers[mimeType]
  if (!demuxer) return null
  const fit = `scale='min(${maxPixels},iw)':'min(${maxPixels},ih)':force_original_aspect_ratio=decrease`
  const input = ['-v', 'error', '-threads', '1', '-protocol_whitelist', 'file', '-f', demuxer, '-i', path]
  const output = ['-frames:v', '1', '-vf', fit, '-c:v', 'mjpeg', '-q:v', '3', '-f', 'image2pipe', 'pipe:1']
  const options = {
    encoding: 'buffer',
    timeout: decodeMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxBytes,
  } as const
  try {
    const { stdout: jpeg } = await limiter.run(() => run(program, [...input, ...output], options))
    const { width, height } = await sharp(jpeg).metadata()
    return { jpeg, width, height }
  } catch {
    return null
  }
}
