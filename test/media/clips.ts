import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { RtmpClient } from './rtmp-client.ts'

const run = promisify(execFile)

export async function ffmpeg(...options: string[]): Promise<string> {
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-y', ...options], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

export type ClipOptions = {
  seconds: number
  size?: string
  rate?: number
  keyEvery?: number
  audioRate?: number
}

/** Makes an FLV of a test picture and a tone: H.264 with B-frames and AAC. */
export async function makeClip(path: string, options: ClipOptions): Promise<string> {
  const { seconds, size = '320x180', rate = 30, keyEvery = 30, audioRate = 44_100 } = options
  const picture = `testsrc2=size=${size}:rate=${rate}`
  const tone = `sine=frequency=440:sample_rate=${audioRate}`
  const video = [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-bf',
    '2',
    '-g',
    `${keyEvery}`,
    '-pix_fmt',
    'yuv420p',
  ]
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', tone, '-t', `${seconds}`]
  await ffmpeg(...inputs, ...video, '-sc_threshold', '0', '-c:a', 'aac', '-b:a', '96k', '-f', 'flv', path)
  return path
}

/** How ffmpeg sends a file: at its own pace, all at once, or at its own pace again and again. */
export type Pacing = 'live' | 'at once' | 'loop'

/** Starts ffmpeg publishing a file. */
export function startPublisher(
  file: string,
  address: string,
  pacing: Pacing,
  ...more: string[]
): ChildProcess {
  const pace = { live: ['-re'], 'at once': [], loop: ['-re', '-stream_loop', '-1'] }[pacing]
  const program = 'ffmpeg'
  return spawn(program, ['-v', 'error', ...pace, '-i', file, '-c', 'copy', ...more, '-f', 'flv', address])
}

/** Publishes a file and waits for the end. Returns the exit code and what ffmpeg said. */
export async function publish(file: string, address: string, ...more: string[]) {
  const program = startPublisher(file, address, 'at once', ...more)
  let said = ''
  program.stderr?.on('data', (data: Buffer) => (said += data.toString()))
  const [code] = (await once(program, 'close')) as [number | null]
  return { code, said }
}

export type Probe = { duration: number; videoFrames: number; streams: Record<string, string | number>[] }

/** What ffprobe finds; frames are decoded and counted. */
export async function probe(address: string, ...more: string[]): Promise<Probe> {
  const entries = 'format=duration:stream=codec_name,codec_type,width,height,nb_read_frames'
  const options = ['-v', 'error', ...more, '-count_frames', '-show_entries', entries, '-of', 'json']
  const { stdout } = await run('ffprobe', [...options, address], { timeout: 15_000 })
  const { format, streams } = JSON.parse(stdout) as {
    format: { duration?: string }
    streams: Record<string, string>[]
  }
  const video = streams.find((stream) => stream.codec_type === 'video')
  return { duration: Number(format.duration ?? 0), videoFrames: Number(video?.nb_read_frames ?? 0), streams }
}

/** Hashes of all decoded pictures, to tell whether two files show the same. */
export async function pictureHashes(path: string): Promise<string[]> {
  const text = await ffmpeg('-i', path, '-map', '0:v', '-fps_mode', 'passthrough', '-f', 'framemd5', '-')
  const rows = text.split('\n').filter((row) => row !== '' && !row.startsWith('#'))
  return rows.map((row) => row.split(',').at(-1)!.trim())
}

export type FlvTag = { type: number; timestamp: number; payload: Buffer }

/** The tags of an FLV file. */
export async function readFlv(path: string): Promise<FlvTag[]> {
  return splitFlv(await readFile(path))
}

/** The whole tags in FLV bytes. */
export function splitFlv(bytes: Buffer): FlvTag[] {
  const tags: FlvTag[] = []
  for (let offset = 13; offset + 11 <= bytes.length;) {
    const size = bytes.readUIntBE(offset + 1, 3)
    if (offset + 15 + size > bytes.length) break
    const timestamp = bytes.readUIntBE(offset + 4, 3) + bytes[offset + 7]! * 2 ** 24
    tags.push({ type: bytes[offset]!, timestamp, payload: bytes.subarray(offset + 11, offset + 11 + size) })
    offset += size + 15
  }
  return tags
}

/** Sends the audio and video of a clip over a connection that publishes. */
export function sendTags(client: RtmpClient, tags: FlvTag[], shift = 0): void {
  for (const tag of tags) if (tag.type !== 18) client.send(tag.type, tag.timestamp + shift, tag.payload)
}
