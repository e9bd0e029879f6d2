import type { AacConfig } from '../flv/aac-config.ts'
import type { AvcConfig } from '../flv/avc-config.ts'
import { box, fullBox, u16, u32, u64 } from './box.ts'

/** The codecs of a span of media; at least one is there. */
export type TrackConfigs = { video: AvcConfig | null; audio: AacConfig | null }

/** Track numbers and time units used in all our files. */
export const trackIds = { video: 1, audio: 2 } as const
export const videoTimescale = 90_000
export const movieTimescale = 1_000

/** What differs between a track in a whole file and one whose samples come in fragments. */
export type TrackContent = {
  /** In units of the track, and of the movie. */
  mediaDuration: number
  movieDuration: number
  edits: Buffer[]
  /** The boxes of the sample table after `stsd`. */
  tables: Buffer[]
}

const unityMatrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

/** Time units per second of a track. */
export function timescaleOf(kind: 'video' | 'audio', tracks: TrackConfigs): number {
  return kind === 'video' ? videoTimescale : (tracks.audio?.sampleRate ?? 1)
}

/** `mvhd` (ISO 14496-12, 8.2.2); the duration is in milliseconds. */
export function encodeMovieHeader(duration: number): Buffer {
  const times = u32(0, 0, movieTimescale, Math.round(duration))
  return fullBox(
    'mvhd',
    0,
    0,
    times,
    u32(0x10000),
    u16(0x100, 0),
    u32(0, 0),
    unityMatrix,
    Buffer.alloc(24),
    u32(3),
  )
}

/** A `trak` box (ISO 14496-12, 8.3). The codec settings of that kind must be there. */
export function encodeTrack(kind: 'video' | 'audio', tracks: TrackConfigs, content: TrackContent): Buffer {
  const { video, audio } = tracks
  const sampleEntry = kind === 'video' ? videoEntry(video!) : audioEntry(audio!)
  const size = kind === 'video' ? [video!.width, video!.height] : [0, 0]
  const tkhd = fullBox(
    'tkhd',
    0,
    3,
    u32(0, 0, trackIds[kind], 0, Math.round(content.movieDuration), 0, 0),
    u16(0, kind === 'audio' ? 1 : 0, kind === 'audio' ? 0x100 : 0, 0),
    unityMatrix,
    u32(size[0]! * 0x10000, size[1]! * 0x10000),
  )
  const handler = kind === 'video' ? 'vide' : 'soun'
  const mediaHeader =
    kind === 'video' ? fullBox('vmhd', 0, 1, u16(0, 0, 0, 0)) : fullBox('smhd', 0, 0, u16(0, 0))
  const mdia = box(
    'mdia',
    fullBox(
      'mdhd',
      1,
      0,
      u64(0, 0),
      u32(timescaleOf(kind, tracks)),
      u64(content.mediaDuration),
      u16(0x55c4, 0),
    ),
    fullBox('hdlr', 0, 0, u32(0), Buffer.from(handler), u32(0, 0, 0), Buffer.from('\0')),
    box(
      'minf',
      mediaHeader,
      box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1))),
      box('stbl', fullBox('stsd', 0, 0, u32(1), sampleEntry), ...content.tables),
    ),
  )
  return box('trak', tkhd, ...content.edits, mdia)
}

function videoEntry(config: AvcConfig): Buffer {
  return box(
    'avc1',
    Buffer.alloc(6),
    u16(1),
    Buffer.alloc(16),
    u16(config.width, config.height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    box('avcC', config.record),
  )
}

function audioEntry(config: AacConfig): Buffer {
  return box(
    'mp4a',
    Buffer.alloc(6),
    u16(1),
    u32(0, 0),
    u16(config.channels, 16, 0, 0),
    // 16.16 fixed point; rates that do not fit are told by the codec's own record.
    u32(config.sampleRate < 0x10000 ? config.sampleRate * 0x10000 : 0),
    esds(config),
  )
}

/** The elementary stream descriptor around an AudioSpecificConfig (ISO 14496-1, 7.2.6.5). */
function esds(config: AacConfig): Buffer {
  const specific = descriptor(5, config.record)
  const decoder = descriptor(4, Buffer.from([0x40, 0x15, 0, 0, 0]), u32(0, 0), specific)
  const sync = descriptor(6, Buffer.from([2]))
  return fullBox('esds', 0, 0, descriptor(3, u16(trackIds.audio), Buffer.from([0]), decoder, sync))
}

function descriptor(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const size = body.length
  const head = [
    tag,
    0x80 | (size >> 21),
    0x80 | ((size >> 14) & 0x7f),
    0x80 | ((size >> 7) & 0x7f),
    size & 0x7f,
  ]
  return Buffer.concat([Buffer.from(head), body])
}
