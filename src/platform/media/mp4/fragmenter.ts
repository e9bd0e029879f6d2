import { encodeFragment, type Sample } from './fragment.ts'
import type { TrackConfigs } from './track-box.ts'
import { createSampler } from './sampler.ts'
import type { MediaTag } from '../flv/tag.ts'

/** A piece of a segment: one fragment. `independent` when a player can begin with it. */
export type Part = { bytes: Buffer; duration: number; independent: boolean }

export type FragmenterHandlers = {
  part(part: Part): void
  /** The parts since the last call make a segment; `startMs` is its first decode time. */
  segment(startMs: number, duration: number): void
}

export type Fragmenter = {
  add(tag: MediaTag): void
  /**
   * Closes the running part and segment; nothing may be added after it. Without `keepTail`, an ending too short for
   * a part is left out.
   */
  finish(keepTail: boolean): void
}

/** Without any keyframe, a segment is cut here all the same, so that memory stays bounded. */
const longestSegmentMs = 12_000

/**
 * Cuts tags into parts and segments. Segments begin at keyframes once `segmentMs` is reached, parts last at most
 * `partMs`. Without video, audio alone sets the pace. Durations in seconds.
 */
export function createFragmenter(
  tracks: TrackConfigs,
  pace: { segmentMs: number; partMs: number },
  handlers: FragmenterHandlers,
  firstSequence = 1,
): Fragmenter {
  const lead = tracks.video ? 'video' : 'audio'
  const sampler = createSampler(tracks, onSample)
  let sequence = firstSequence
  let samples: Sample[] = []
  let partStart: number | null = null
  let segmentStart: number | null = null

  function onSample(sample: Sample): void {
    if (segmentStart !== null && partStart !== null) {
      const age = sample.startMs - segmentStart
      const leads = sample.kind === lead
      const boundary = leads && (lead === 'audio' || sample.key) && age >= pace.segmentMs - 50
      if (boundary || age >= longestSegmentMs) closeSegment(sample.startMs)
      // The other track cuts only when the leading one has fallen silent.
      else if (sample.endMs - partStart > pace.partMs * (leads ? 1 : 3)) closePart(sample.startMs)
    }
    segmentStart ??= sample.startMs
    partStart ??= sample.startMs
    samples.push(sample)
  }

  function closePart(end: number): void {
    if (samples.length === 0 || partStart === null) return
    const first = samples.find((sample) => sample.kind === lead)
    handlers.part({
      bytes: encodeFragment(sequence++, samples),
      duration: Math.max(1, end - partStart) / 1000,
      independent: first !== undefined && (lead === 'audio' || first.key),
    })
    samples = []
    partStart = end
  }

  function closeSegment(end: number): void {
    if (segmentStart === null) return
    closePart(end)
    handlers.segment(segmentStart, Math.max(1, end - segmentStart) / 1000)
    segmentStart = end
  }

  return {
    add: sampler.add,
    finish(keepTail) {
      sampler.finish()
      const end = Math.max(partStart ?? 0, ...samples.map((sample) => sample.endMs))
      const short =
        segmentStart === partStart && segmentStart !== null && end - segmentStart < pace.partMs * 0.8
      if (keepTail || !short) closeSegment(end)
      segmentStart = null
    },
  }
}
