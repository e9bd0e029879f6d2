import { spawn } from 'node:child_process'
import sharp from 'sharp'
import { elapsed } from '../clock.ts'
import type { Log } from '../log.ts'
import type { AvcConfig } from './flv/avc-config.ts'
import { codecData, type MediaTag } from './flv/tag.ts'

type Keyframe = { config: AvcConfig; tag: MediaTag }

/** Makes pictures of live streams. */
export type Thumbnails = {
  /** A JPEG of the keyframe at most `maxWidth` wide; null when it cannot be decoded here. */
  make(streamId: string, keyframe: Keyframe, maxWidth?: number): Promise<Buffer | null>
  forget(streamId: string): void
}

/** A picture is used again for this long, however often it is asked for. */
const freshMs = 5_000
const decodeMs = 10_000
const maxDecoders = 2
const decoder = 'ffmpeg'

/** Decodes with the `ffmpeg` program when the machine has it: there is no free H.264 decoder for all profiles. */
export function createThumbnails(log: Log): Thumbnails {
  const pictures = new Map<string, { madeAt: number; picture: Promise<Buffer | null> }>()
  let decoding = 0
  let told = false

  async function decode(keyframe: Keyframe): Promise<Buffer | null> {
    if (decoding >= maxDecoders) return null
    decoding++
    try {
      return await runFfmpeg(toAnnexB(keyframe))
    } catch (error) {
      if (!told) log.warn({ err: error }, 'no pictures of live streams: ffmpeg is not there or does not work')
      told = true
      return null
    } finally {
      decoding--
    }
  }

  return {
    async make(streamId, keyframe, maxWidth = 640) {
      const known = pictures.get(streamId)
      const usable = known && elapsed() - known.madeAt < freshMs
      const entry = usable ? known : { madeAt: elapsed(), picture: decode(keyframe) }
      pictures.set(streamId, entry)
      const picture = await entry.picture
      if (!picture) return null
      return sharp(picture)
        .resize({ width: maxWidth, withoutEnlargement: true })
        .jpeg({ quality: 80 })
        .toBuffer()
    },
    forget: (streamId) => void pictures.delete(streamId),
  }
}

/** Parameter sets and picture with start codes, as decoders read them. */
function toAnnexB({ config, tag }: Keyframe): Buffer {
  const startCode = Buffer.from([0, 0, 0, 1])
  const out = [...config.sps, ...config.pps].flatMap((set) => [startCode, set])
  const data = codecData(tag)
  for (let offset = 0; offset + config.lengthSize <= data.length;) {
    const length = data.readUIntBE(offset, config.lengthSize)
    offset += config.lengthSize
    out.push(startCode, data.subarray(offset, offset + length))
    offset += length
  }
  return Buffer.concat(out)
}

function runFfmpeg(h264: Buffer): Promise<Buffer> {
  const options = ['-hide_banner', '-loglevel', 'error', '-threads', '1', '-f', 'h264', '-i', 'pipe:0']
  const output = ['-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '3', '-f', 'image2pipe', 'pipe:1']
  return new Promise((resolve, reject) => {
    const program = spawn(decoder, [...options, ...output], { timeout: decodeMs, killSignal: 'SIGKILL' })
    const parts: Buffer[] = []
    let complaint = ''
    program.stdout.on('data', (bytes: Buffer) => parts.push(bytes))
    program.stderr.on('data', (bytes: Buffer) => (complaint = (complaint + bytes.toString()).slice(0, 500)))
    program.on('error', reject)
    program.on('close', () => {
      if (parts.length > 0) resolve(Buffer.concat(parts))
      else reject(new Error(complaint || 'ffmpeg made no picture'))
    })
    // It may stop reading once it has the picture.
    program.stdin.on('error', () => undefined)
    program.stdin.end(h264)
  })
}
