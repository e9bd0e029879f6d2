import { now } from '../clock.ts'
import type { Log } from '../log.ts'
import { parseAacConfig } from './flv/aac-config.ts'
import type { AmfObject, AmfValue } from './flv/amf0.ts'
import { parseAvcConfig, type AvcConfig } from './flv/avc-config.ts'
import { readMetadata } from './flv/script.ts'
import {
  classifyAudio,
  classifyVideo,
  codecData,
  tagPayload,
  tagTypes,
  writeTagEnds,
  type MediaTag,
} from './flv/tag.ts'
import { createGopCache } from './gop-cache.ts'
import { createLiveHls } from './hls/live-hls.ts'
import { createLiveWindow, type LiveWindow } from './hls/live-window.ts'
import type { TrackConfigs } from './mp4/track-box.ts'
import type { MediaLimits } from './options.ts'
import { createPlayers, type Players } from './players.ts'
import type { Recorder } from './recording/recorder.ts'
import { createTimeline } from './timeline.ts'

/** What became of a message: media that flows on, nothing of use, or something we do not carry. */
export type Accepted = { use: 'media' } | { use: 'ignore' } | { use: 'refuse'; codec: string }

export type PipelineOptions = {
  limits: MediaLimits
  log: Log
  liveFolder: string
  lastTimestamp: number
  firstSegment: number
}

/** The way of the media: from one connection after the other to the recording, the players and the segments. */
export type Pipeline = {
  players: Players
  window: LiveWindow
  /** Takes a whole message; `frame` is kept and must not be changed by the caller. */
  accept(type: 8 | 9, timestamp: number, frame: Buffer): Accepted
  metadata(values: AmfValue[]): Accepted
  /** A new connection follows; its settings and its clock start afresh. */
  restart(): void
  /** Media stops for now or for good. */
  interrupt(): void
  recordTo(recorder: Recorder | null): void
  /** The newest keyframe and the settings to decode it with. */
  keyframe(): { config: AvcConfig; tag: MediaTag } | null
}

type TagFacts = Pick<MediaTag, 'key' | 'config' | 'compositionTime'>

/** A pipeline without a recorder yet. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { limits } = options
  const timeline = createTimeline(options.lastTimestamp)
  const gop = createGopCache(limits.gopCacheBytes)
  const window = createLiveWindow({
    folder: options.liveFolder,
    windowSegments: limits.windowSegments,
    segmentSeconds: limits.segmentSeconds,
    partSeconds: limits.partSeconds,
    firstNumber: options.firstSegment,
    log: options.log,
  })
  const pace = { segmentMs: limits.segmentSeconds * 1000, partMs: limits.partSeconds * 1000 }
  const hls = createLiveHls(window, pace, now, options.lastTimestamp >= 0)
  let recorder: Recorder | null = null
  let configs: TrackConfigs = { video: null, audio: null }
  let configTags: MediaTag[] = []
  let sent: AmfObject = {}
  let awaitsKeyframe = true
  const players = createPlayers({ metadata, configTags: () => configTags, gop }, limits)

  function metadata(): AmfObject {
    return {
      ...sent,
      ...(configs.video && { width: configs.video.width, height: configs.video.height, videocodecid: 7 }),
      ...(configs.audio && { audiosamplerate: configs.audio.sampleRate, audiocodecid: 10 }),
    }
  }

  function accept(type: 8 | 9, timestamp: number, frame: Buffer): Accepted {
    const kind = type === tagTypes.audio ? 'audio' : 'video'
    const seen = kind === 'audio' ? classifyAudio(tagPayload(frame)) : classifyVideo(tagPayload(frame))
    if (seen.use !== 'media') return seen
    if (seen.config) return configure(kind, frame)
    if (!configs[kind]) return { use: 'ignore' }
    if (kind === 'video' && awaitsKeyframe) {
      if (!seen.key) return { use: 'ignore' }
      awaitsKeyframe = false
    }
    const { key, compositionTime } = seen
    const tag = makeTag(kind, timeline.map(kind, timestamp), frame, { key, config: false, compositionTime })
    recorder?.write(tag.bytes, tag.timestamp)
    players.send(tag)
    gop.add(tag)
    hls.add(tag)
    return { use: 'media' }
  }

  function makeTag(kind: MediaTag['kind'], timestamp: number, frame: Buffer, facts: TagFacts): MediaTag {
    writeTagEnds(frame, tagTypes[kind], timestamp)
    return { kind, timestamp, ...facts, bytes: frame }
  }

  function configure(kind: MediaTag['kind'], frame: Buffer): Accepted {
    const facts = { key: false, config: true, compositionTime: 0 }
    const tag = makeTag(kind, Math.max(0, timeline.last()), frame, facts)
    const record = codecData(tag)
    if (configs[kind]?.record.equals(record)) return { use: 'ignore' }
    try {
      const changed = kind === 'video' ? { video: parseAvcConfig(record) } : { audio: parseAacConfig(record) }
      configs = { ...configs, ...changed }
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unreadable'
      return {
        use: 'refuse',
        codec: `${kind === 'video' ? 'H.264' : 'AAC'} with settings we cannot use (${reason})`,
      }
    }
    configTags = [...configTags.filter((other) => other.kind !== kind), tag]
    if (kind === 'video') {
      awaitsKeyframe = true
      gop.clear()
    }
    recorder?.write(tag.bytes, tag.timestamp)
    players.send(tag)
    hls.configure(configs)
    return { use: 'ignore' }
  }

  return {
    players,
    window,
    accept,
    metadata(values) {
      const read = readMetadata(values)
      sent = read?.fields ?? sent
      return read?.refused ? { use: 'refuse', codec: read.refused } : { use: 'ignore' }
    },
    restart() {
      configs = { video: null, audio: null }
      configTags = []
      awaitsKeyframe = true
      gop.clear()
      timeline.restart()
      hls.configure(configs)
    },
    interrupt: hls.interrupt,
    recordTo(next) {
      recorder = next
    },
    keyframe() {
      const tag = gop.keyframe()
      return tag && configs.video && { config: configs.video, tag }
    },
  }
}
