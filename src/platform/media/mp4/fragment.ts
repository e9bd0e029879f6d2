import { box, fullBox, u32, u64 } from './box.ts'
import { trackIds } from './track-box.ts'

/** One frame, in the time units of its track. */
export type Sample = {
  kind: 'audio' | 'video'
  decodeTime: number
  duration: number
  /** Presentation minus decode time. */
  compositionOffset: number
  key: boolean
  data: Buffer
  /** Decode time and end in milliseconds of the stream. */
  startMs: number
  endMs: number
}

const keyFlags = 0x02000000
const deltaFlags = 0x01010000

/** `moof` and `mdat` for samples of one or two tracks, each in decode order (ISO 14496-12, 8.8). */
export function encodeFragment(sequence: number, samples: readonly Sample[]): Buffer {
  const tracks = (['video', 'audio'] as const)
    .map((kind) => ({ kind, samples: samples.filter((sample) => sample.kind === kind) }))
    .filter((track) => track.samples.length > 0)
  // Data offsets count from the start of the moof, whose size does not depend on them.
  const moofBytes = encodeMoof(sequence, tracks, 0).length
  const moof = encodeMoof(sequence, tracks, moofBytes + 8)
  const data = tracks.flatMap((track) => track.samples.map((sample) => sample.data))
  const dataBytes = data.reduce((sum, bytes) => sum + bytes.length, 8)
  return Buffer.concat([moof, u32(dataBytes), Buffer.from('mdat'), ...data], moofBytes + dataBytes)
}

type FragmentTrack = { kind: 'audio' | 'video'; samples: Sample[] }

function encodeMoof(sequence: number, tracks: FragmentTrack[], dataStart: number): Buffer {
  let offset = dataStart
  const trafs = tracks.map((track) => {
    const traf = encodeTraf(track, offset)
    for (const sample of track.samples) offset += sample.data.length
    return traf
  })
  return box('moof', fullBox('mfhd', 0, 0, u32(sequence)), ...trafs)
}

function encodeTraf({ kind, samples }: FragmentTrack, dataOffset: number): Buffer {
  const start = samples[0]!.decodeTime
  const tfhd = fullBox('tfhd', 0, 0x020000, u32(trackIds[kind]))
  const tfdt = fullBox('tfdt', 1, 0, u64(start))
  const rows = Buffer.allocUnsafe(samples.length * 16)
  samples.forEach((sample, index) => {
    const at = index * 16
    rows.writeUInt32BE(sample.duration, at)
    rows.writeUInt32BE(sample.data.length, at + 4)
    rows.writeUInt32BE(kind === 'audio' || sample.key ? keyFlags : deltaFlags, at + 8)
    rows.writeInt32BE(sample.compositionOffset, at + 12)
  })
  return box('traf', tfhd, tfdt, fullBox('trun', 1, 0xf01, u32(samples.length, dataOffset), rows))
}
