import { open } from 'node:fs/promises'
import { box, u32, u64 } from '../mp4/box.ts'
import type { Sample } from '../mp4/fragment.ts'
import { createSampleTable } from '../mp4/sample-table.ts'
import { createSampler } from '../mp4/sampler.ts'
import { encodeMovieHeader, encodeTrack } from '../mp4/track-box.ts'
import { readPart, type RecordedPart } from './plan.ts'

/** Pictures and sound alternate in the file at this distance, so that players need not jump far. */
const interleaveMs = 1_000

/** Writes one part as MP4 with its index in front (fast start), so that players seek without reading it all. */
export async function writeMp4(source: string, target: string, part: RecordedPart): Promise<void> {
  const kinds = (['video', 'audio'] as const).filter((kind) => part.tracks[kind])
  const tables = kinds.map((kind) => ({ kind, table: createSampleTable(kind, part.tracks) }))
  let dataBytes = 0
  // First round: only the numbers. The data follows in the same order in the second.
  for await (const samples of readInterleaved(source, part)) {
    for (const { kind, table } of tables) {
      const offset = dataBytes
      for (const sample of samples) {
        if (sample.kind !== kind) continue
        table.add(sample)
        dataBytes += sample.data.length
      }
      table.endChunk(offset)
    }
  }
  const ftyp = box('ftyp', Buffer.from('isom'), u32(0x200), Buffer.from('isomiso2avc1mp41'))
  function encodeMoov(dataStart: number): Buffer {
    const contents = tables.map(({ kind, table }) => ({ kind, content: table.content(dataStart) }))
    const duration = Math.max(...contents.map(({ content }) => content.movieDuration))
    const traks = contents.map(({ kind, content }) => encodeTrack(kind, part.tracks, content))
    return box('moov', encodeMovieHeader(duration), ...traks)
  }
  // The size of the index does not depend on where the data begins.
  const dataHeaderBytes = 16
  const moov = encodeMoov(ftyp.length + encodeMoov(0).length + dataHeaderBytes)
  const dataHeader = Buffer.concat([u32(1), Buffer.from('mdat'), u64(dataBytes + dataHeaderBytes)])

  const file = await open(target, 'w')
  try {
    await file.appendFile(Buffer.concat([ftyp, moov, dataHeader]))
    for await (const samples of readInterleaved(source, part)) {
      const ordered = kinds.flatMap((kind) => samples.filter((sample) => sample.kind === kind))
      await file.appendFile(Buffer.concat(ordered.map((sample) => sample.data)))
    }
  } finally {
    await file.close()
  }
}

/** The samples of a part in groups of about a second; each group holds both tracks. */
async function* readInterleaved(source: string, part: RecordedPart): AsyncGenerator<Sample[]> {
  let group: Sample[] = []
  let ready: Sample[][] = []
  let until = interleaveMs
  const sampler = createSampler(part.tracks, (sample) => {
    if (sample.startMs >= until) {
      ready.push(group)
      group = []
      until = sample.startMs + interleaveMs
    }
    group.push(sample)
  })
  for await (const tags of readPart(source, part)) {
    for (const tag of tags) sampler.add(tag)
    yield* ready
    ready = []
  }
  sampler.finish()
  yield* [...ready, group]
}
