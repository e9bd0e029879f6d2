import { box, fullBox, u32, u64 } from './box.ts'
import type { Sample } from './fragment.ts'
import { movieTimescale, timescaleOf, type TrackConfigs, type TrackContent } from './track-box.ts'

/** Gathers what a whole-file track must tell about each sample, in plain numbers so that long recordings fit. */
export type SampleTable = {
  add(sample: Sample): void
  /** The samples since the last call lie together, `offset` bytes into the media data. */
  endChunk(offset: number): void
  /** The track when the media data begins at `dataStart`. */
  content(dataStart: number): TrackContent
}

/** Pairs of a count and a value, as run-length tables hold them. */
type Runs = { counts: number[]; values: number[] }

/** The table of one track. */
export function createSampleTable(kind: 'video' | 'audio', tracks: TrackConfigs): SampleTable {
  const timescale = timescaleOf(kind, tracks)
  const durations: Runs = { counts: [], values: [] }
  const compositions: Runs = { counts: [], values: [] }
  const sizes: number[] = []
  const keys: number[] = []
  const chunkOffsets: number[] = []
  const chunkSamples: number[] = []
  let inChunk = 0
  let start = 0
  let end = 0

  /** A file counts from the first sample; a track that begins later is shifted by an empty edit. */
  function edits(): Buffer[] {
    if (start === 0) return []
    const delay = Math.round((start * movieTimescale) / timescale)
    const length = Math.round(((end - start) * movieTimescale) / timescale)
    const once = 0x10000
    return [box('edts', fullBox('elst', 0, 0, u32(2, delay, 0xffffffff, once, length, 0, once)))]
  }

  function tables(dataStart: number): Buffer[] {
    const offsets = chunkOffsets.map((offset) => offset + dataStart)
    const signed = compositions.values.some((value) => value < 0) ? 1 : 0
    const shifted = compositions.values.some((value) => value !== 0)
    return [
      fullBox('stts', 0, 0, u32(durations.counts.length), rows(durations)),
      ...(shifted ? [fullBox('ctts', signed, 0, u32(compositions.counts.length), rows(compositions))] : []),
      ...(kind === 'video' ? [fullBox('stss', 0, 0, u32(keys.length), numbers(keys))] : []),
      chunkTable(chunkSamples),
      fullBox('stsz', 0, 0, u32(0, sizes.length), numbers(sizes)),
      fullBox('co64', 0, 0, u32(offsets.length), numbers(offsets, 8)),
    ]
  }

  return {
    add(sample) {
      if (sizes.length === 0) start = sample.decodeTime
      sizes.push(sample.data.length)
      if (sample.key) keys.push(sizes.length)
      pushRun(durations, sample.duration)
      pushRun(compositions, sample.compositionOffset)
      end = sample.decodeTime + sample.duration
      inChunk++
    },
    endChunk(offset) {
      if (inChunk === 0) return
      chunkOffsets.push(offset)
      chunkSamples.push(inChunk)
      inChunk = 0
    },
    content: (dataStart) => ({
      mediaDuration: end - start,
      movieDuration: (end * movieTimescale) / timescale,
      edits: edits(),
      tables: tables(dataStart),
    }),
  }
}

function pushRun(runs: Runs, value: number): void {
  const last = runs.values.length - 1
  if (runs.values[last] === value) runs.counts[last]!++
  else {
    runs.counts.push(1)
    runs.values.push(value)
  }
}

function rows(runs: Runs): Buffer {
  const out = Buffer.allocUnsafe(runs.counts.length * 8)
  runs.counts.forEach((count, index) => {
    out.writeUInt32BE(count, index * 8)
    out.writeUInt32BE(runs.values[index]! >>> 0, index * 8 + 4)
  })
  return out
}

function numbers(values: number[], bytes: 4 | 8 = 4): Buffer {
  const out = Buffer.allocUnsafe(values.length * bytes)
  values.forEach((value, index) => {
    if (bytes === 4) out.writeUInt32BE(value, index * 4)
    else u64(value).copy(out, index * 8)
  })
  return out
}

/** `stsc`: from which chunk on there are how many samples in each. */
function chunkTable(chunkSamples: number[]): Buffer {
  const entries: number[] = []
  chunkSamples.forEach((count, index) => {
    if (count !== chunkSamples[index - 1]) entries.push(index + 1, count, 1)
  })
  return fullBox('stsc', 0, 0, u32(entries.length / 3), numbers(entries))
}
