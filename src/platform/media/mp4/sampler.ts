import { codecData, type MediaTag } from '../flv/tag.ts'
import type { Sample } from './fragment.ts'
import { videoTimescale, type TrackConfigs } from './track-box.ts'

/** Turns tags into samples. A sample comes out when the next of its track arrives, as only then its length is known. */
export type Sampler = { add(tag: MediaTag): void; finish(): void }

/** AAC frames have an exact length, FLV whole milliseconds; apart by more than this, the clock is followed. */
const maxAudioDriftMs = 60
const ticksPerMs = videoTimescale / 1000
const usualFrameMs = 33

/** Samples for these tracks go to `emit`, in decode order per track. */
export function createSampler(tracks: TrackConfigs, emit: (sample: Sample) => void): Sampler {
  const held: { video: Sample | null; audio: Sample | null } = { video: null, audio: null }
  const lastDuration = { video: usualFrameMs * ticksPerMs, audio: tracks.audio?.frameSamples ?? 0 }

  function decodeTimeOf(tag: MediaTag): number {
    if (tag.kind === 'video' || !tracks.audio) return tag.timestamp * ticksPerMs
    const { sampleRate, frameSamples } = tracks.audio
    const byClock = Math.round((tag.timestamp * sampleRate) / 1000)
    if (!held.audio) return byClock
    const byCount = held.audio.decodeTime + frameSamples
    const drift = ((byClock - byCount) * 1000) / sampleRate
    if (drift > maxAudioDriftMs) return byClock
    // An encoder that sends more audio than time passes is pulled back half a frame at a time.
    return drift < -maxAudioDriftMs ? held.audio.decodeTime + frameSamples / 2 : byCount
  }

  function release(kind: 'audio' | 'video', nextTime: number | null, nextMs: number | null): void {
    const sample = held[kind]
    if (!sample) return
    if (nextTime !== null) lastDuration[kind] = nextTime - sample.decodeTime
    sample.duration = lastDuration[kind]
    const scale = kind === 'video' ? videoTimescale : tracks.audio!.sampleRate
    sample.endMs = nextMs ?? sample.startMs + (sample.duration * 1000) / scale
    held[kind] = null
    emit(sample)
  }

  return {
    add(tag) {
      if (!tracks[tag.kind]) return
      const decodeTime = decodeTimeOf(tag)
      release(tag.kind, decodeTime, tag.timestamp)
      held[tag.kind] = {
        kind: tag.kind,
        decodeTime,
        duration: 0,
        compositionOffset: tag.compositionTime * ticksPerMs,
        key: tag.key,
        data: codecData(tag),
        startMs: tag.timestamp,
        endMs: tag.timestamp,
      }
    },
    finish() {
      release('video', null, null)
      release('audio', null, null)
    },
  }
}
