import type { AacConfig } from '../flv/aac-config.ts'
import type { AvcConfig } from '../flv/avc-config.ts'
import { box, fullBox, u16, u32 } from './box.ts'

/** The codecs of a span of media; at least one is there. */
export type TrackConfigs = { video: AvcConfig | null; audio: AacConfig | null }

/** Track numbers and time units used in all our fragments. */
export const trackIds = { video: 1, audio: 2 } as const
export const videoTimescale = 90_000

const unityMatrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

/** `ftyp` and `moov` for fragments of these tracks (ISO 14496-12 and 23000-19). */
export function encodeInitSegment(tracks: TrackConfigs): Buffer {
  const ftyp = box('ftyp', Buffer.from('iso6'), u32(1), Buffer.from('iso6cmfcmp41'))
  const mvhd = fullBox(
    'mvhd',
    0,
    0,
    u32(0, 0, 1000, 0, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    unityMatrix,
    Buffer.alloc(24),
    u32(3),
  )
  const traks: Buffer[] = []
  const trexes: Buffer[] = []
  if (tracks.video) {
    traks.push(videoTrack(tracks.video))
    trexes.push(fullBox('trex', 0, 0, u32(trackIds.video, 1, 0, 0, 0)))
  }
  if (tracks.audio) {
    traks.push(audioTrack(tracks.audio))
    trexes.push(fullBox('trex', 0, 0, u32(trackIds.audio, 1, 0, 0, 0)))
  }
  return Buffer.concat([ftyp, box('moov', mvhd, ...traks, box('mvex', ...trexes))])
}

function videoTrack(config: AvcConfig): Buffer {
  const entry = box(
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
  const header = fullBox('vmhd', 0, 1, u16(0, 0, 0, 0))
  return track(trackIds.video, videoTimescale, 'vide', header, entry, [config.width, config.height])
}

function audioTrack(config: AacConfig): Buffer {
  const entry = box(
    'mp4a',
    Buffer.alloc(6),
    u16(1),
    u32(0, 0),
    u16(config.channels, 16, 0, 0),
    // 16.16 fixed point; rates that do not fit are told by the codec's own record.
    u32(config.sampleRate < 0x10000 ? config.sampleRate * 0x10000 : 0),
    esds(config),
  )
  return track(trackIds.audio, config.sampleRate, 'soun', fullBox('smhd', 0, 0, u16(0, 0)), entry, [0, 0])
}

function track(
  id: number,
  timescale: number,
  handler: string,
  mediaHeader: Buffer,
  sampleEntry: Buffer,
  [width, height]: [number, number],
): Buffer {
  const isAudio = handler === 'soun'
  const tkhd = fullBox(
    'tkhd',
    0,
    3,
    u32(0, 0, id, 0, 0, 0, 0),
    u16(0, isAudio ? 1 : 0, isAudio ? 0x100 : 0, 0),
    unityMatrix,
    u32(width * 0x10000, height * 0x10000),
  )
  const empty = (type: string) => fullBox(type, 0, 0, u32(0))
  const stbl = box(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), sampleEntry),
    empty('stts'),
    empty('stsc'),
    fullBox('stsz', 0, 0, u32(0, 0)),
    empty('stco'),
  )
  const dinf = box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1)))
  const mdia = box(
    'mdia',
    fullBox('mdhd', 0, 0, u32(0, 0, timescale, 0), u16(0x55c4, 0)),
    fullBox('hdlr', 0, 0, u32(0), Buffer.from(handler), u32(0, 0, 0), Buffer.from('\0')),
    box('minf', mediaHeader, dinf, stbl),
  )
  return box('trak', tkhd, mdia)
}

/** The elementary stream descriptor around an AudioSpecificConfig (ISO 14496-1, 7.2.6.5). */
function esds(config: AacConfig): Buffer {
  const specific = descriptor(5, config.record)
  const decoder = descriptor(4, Buffer.from([0x40, 0x15, 0, 0, 0]), u32(0, 0), specific)
  return fullBox(
    'esds',
    0,
    0,
    descriptor(3, u16(trackIds.audio), Buffer.from([0]), decoder, descriptor(6, Buffer.from([2]))),
  )
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
