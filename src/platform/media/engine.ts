import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/** Where a publish or play request came from and what it asked for. `query` holds the URL's parameters. */
export type MediaRequest = {
  app: string
  streamName: string
  query: Record<string, string>
  remoteAddress: string
}

/** The answer of an authorisation hook: the stream behind the name, or a reason the client may read. */
export type MediaDecision = { streamId: string } | { refuse: string }

/** Why a stream ended: `stopped` by the server, `timeout` when no encoder came back within the grace period. */
export type StopReason = 'stopped' | 'timeout'

/**
 * What the owner of the streams is asked and told. An event handler that throws is logged and does no harm.
 * Order per stream: start, then any number of (interrupted, reconnect), then stop.
 */
export type MediaHooks = {
  authorizePublish(request: MediaRequest): Promise<MediaDecision>
  authorizePlay(request: MediaRequest): Promise<MediaDecision>
  /** The first media of a stream arrived. */
  onPublishStart?(streamId: string): void | Promise<void>
  /** The encoder went away; `clean` when it said goodbye. The stream stays live for the grace period. */
  onInterrupted?(streamId: string, clean: boolean): void | Promise<void>
  /** Media flows again after an interruption. */
  onReconnect?(streamId: string): void | Promise<void>
  /** The stream is over and accepts no publisher any more; its recording can be finished. */
  onPublishStop?(streamId: string, reason: StopReason): void | Promise<void>
  /** The encoder sent something other than H.264 or AAC and was sent away. */
  onCodecRefused?(streamId: string, codec: string): void | Promise<void>
}

export type StreamStatus = 'live' | 'interrupted' | 'ended'

/** An HTTP answer for a playlist, an init segment, a segment or a part. Exactly one of body and stream is set. */
export type HlsAnswer = {
  contentType: string
  cacheControl: string
  body?: Buffer
  stream?: Readable
}

export type HlsRequest = {
  /** File name below the stream's HLS address, e.g. `index.m3u8`. */
  path: string
  /** Query of the request; `_HLS_msn` and `_HLS_part` hold the answer back until that part exists. */
  query?: Record<string, string | undefined>
  /** Appended to every address in a playlist (without `?`), so that signed queries reach the segments. */
  carryQuery?: string
}

export type RecordingFile = {
  kind: 'flv' | 'mp4' | 'm3u8' | 'segments'
  /** Absolute path on this machine. */
  path: string
  /** Name to store it under; playlists refer to their segments by this name. */
  name: string
  contentType: string
  /** Bytes. */
  size: number
}

/** What is known of a finished recording. Durations are seconds of media. */
export type Recording = {
  streamId: string
  startTime: Date
  stopTime: Date
  duration: number
  /** True when media that reached the server may be missing; `missing` says why, in words. */
  partial: boolean
  missing: string[]
  /** Spans of unchanging codec settings. There is one MP4 for each; FLV and M3U8 always hold the whole. */
  parts: number
  files: RecordingFile[]
}

/**
 * A live video engine: takes encoders in, serves players, keeps recordings.
 * The built-in server is one implementation; an external RTMP server driven by callbacks can be another.
 */
export type MediaEngine = {
  /** Takes up streams a former process left behind and starts listening. */
  start(): Promise<void>
  /** Disconnects everyone and closes files. Streams stay open for their encoder to return after a restart. */
  close(): Promise<void>
  /** The port publishers and RTMP players connect to. */
  rtmpPort(): number
  /** Null for a stream that never started here or was forgotten. */
  status(streamId: string): StreamStatus | null
  /** Streams that are live or wait for their encoder. */
  runningStreams(): string[]
  /** Players connected over HTTP-FLV and RTMP right now. */
  playerCount(streamId: string): number
  /** Ends a stream: the publisher is sent away, players get the end, the recording is closed. */
  stop(streamId: string): Promise<void>
  /** Null when there is nothing at that path. */
  handleHls(streamId: string, request: HlsRequest): Promise<HlsAnswer | null>
  /**
   * Takes over the response when the stream is running and returns true; else leaves it untouched. `stays` is asked on
   * `recheck`: whether this player may still watch.
   */
  handleFlv(streamId: string, response: ServerResponse, stays: () => Promise<boolean>): boolean
  /** Asks again for every player of a stream whether it may watch, and cuts off those that may not. */
  recheck(streamId: string): Promise<void>
  /** A JPEG of the newest keyframe, or null when there is none or no decoder on this machine. */
  thumbnail(streamId: string, maxWidth?: number): Promise<Buffer | null>
  /** Streams that ended and still have files here. */
  endedStreams(): Promise<string[]>
  /** Makes FLV, MP4 and M3U8 of an ended stream. Repeatable; null when no media was kept. */
  finishRecording(streamId: string): Promise<Recording | null>
  /** Deletes everything kept for a stream, ending it first if needed. */
  forget(streamId: string): Promise<void>
}
