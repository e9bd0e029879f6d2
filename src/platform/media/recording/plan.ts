import { parseAacConfig } from '../flv/aac-config.ts'
import { parseAvcConfig } from '../flv/avc-config.ts'
import { readTags, type StoredTag } from '../flv/read-tags.ts'
import { classifyAudio, classifyVideo, codecData, tagPayload, tagTypes, type MediaTag } from '../flv/tag.ts'
import type { TrackConfigs } from '../mp4/track-box.ts'

/** A stretch of a source recording with unchanging codec settings. Times in milliseconds. */
export type RecordedPart = {
  /** Byte range in the source. */
  from: number
  to: number
  tracks: TrackConfigs
  frames: { video: number; audio: number }
  start: number
  end: number
}

export type RecordingPlan = {
  parts: RecordedPart[]
  /** Where players can seek to. */
  keyframes: { time: number; offset: number }[]
  /** End of the last whole tag. */
  bytes: number
  start: number
  end: number
}

/** Length assumed for the last frame of a stretch. */
const lastFrameMs = 33

/** Turns a stored tag into a media tag; null for anything else. */
function toMediaTag(stored: StoredTag): MediaTag | null {
  if (stored.type !== tagTypes.audio && stored.type !== tagTypes.video) return null
  const kind = stored.type === tagTypes.audio ? 'audio' : 'video'
  const payload = tagPayload(stored.bytes)
  const seen = kind === 'audio' ? classifyAudio(payload) : classifyVideo(payload)
  if (seen.use !== 'media') return null
  const { key, config, compositionTime } = seen
  return { kind, timestamp: stored.timestamp, key, config, compositionTime, bytes: stored.bytes }
}

/** Reads a source recording once and says what is in it. */
export async function planRecording(path: string): Promise<RecordingPlan> {
  const parts: RecordedPart[] = []
  const keyframes: RecordingPlan['keyframes'] = []
  let current: RecordedPart | null = null
  let bytes = 0

  function settings(tag: MediaTag, offset: number): RecordedPart {
    const record = Buffer.from(codecData(tag))
    const same = current?.tracks[tag.kind]?.record.equals(record)
    const change =
      tag.kind === 'video' ? { video: parseAvcConfig(record) } : { audio: parseAacConfig(record) }
    if (current && (same || current.frames[tag.kind] === 0)) {
      if (!same) current.tracks = { ...current.tracks, ...change }
      return current
    }
    const tracks = { video: null, audio: null, ...current?.tracks, ...change }
    const part = { from: offset, to: offset, tracks, frames: { video: 0, audio: 0 }, start: -1, end: 0 }
    parts.push(part)
    return part
  }

  for await (const batch of readTags(path)) {
    for (const stored of batch) {
      bytes = stored.offset + stored.bytes.length
      const tag = toMediaTag(stored)
      if (tag?.config) current = settings(tag, stored.offset)
      if (!current) continue
      current.to = bytes
      if (!tag || tag.config) continue
      current.frames[tag.kind]++
      if (current.start < 0) current.start = tag.timestamp
      current.end = Math.max(current.end, tag.timestamp + lastFrameMs)
      if (tag.key) keyframes.push({ time: tag.timestamp, offset: stored.offset })
    }
  }
  const filled = parts.filter((part) => part.frames.video + part.frames.audio > 0).map(withoutEmptyTracks)
  return { parts: filled, keyframes, bytes, start: filled[0]?.start ?? 0, end: filled.at(-1)?.end ?? 0 }
}

function withoutEmptyTracks(part: RecordedPart): RecordedPart {
  const { video, audio } = part.tracks
  return {
    ...part,
    tracks: { video: part.frames.video > 0 ? video : null, audio: part.frames.audio > 0 ? audio : null },
  }
}

/** The frames of a part, in the order they came, with times counted from the part's beginning. */
export async function* readPart(path: string, part: RecordedPart): AsyncGenerator<MediaTag[]> {
  for await (const batch of readTags(path, part.from)) {
    const tags: MediaTag[] = []
    let done = false
    for (const stored of batch) {
      if (stored.offset >= part.to) {
        done = true
        break
      }
      const tag = toMediaTag(stored)
      if (tag && !tag.config) tags.push({ ...tag, timestamp: Math.max(0, tag.timestamp - part.start) })
    }
    yield tags
    if (done) return
  }
}
