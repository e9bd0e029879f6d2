import type { Log } from '../log.ts'
import type { MediaHooks } from './engine.ts'

/** Options of the built-in media server. Times are milliseconds, sizes bytes. */
export type MediaServerOptions = {
  /** Folder for live segments and recordings; made when missing. */
  folder: string
  hooks: MediaHooks
  log: Log
  host?: string
  /** RTMP port; 0 picks a free one. */
  port?: number
  limits?: Partial<MediaLimits>
}

export type MediaLimits = {
  /** How long a stream waits for its encoder to come back. */
  graceMs: number
  /** A publisher without media for this long counts as gone. */
  publisherIdleMs: number
  /** A second publisher may take over when the first has been silent for this long (a dead connection). */
  takeoverMs: number
  /** Time a connection has to say what it wants. */
  handshakeMs: number
  maxConnections: number
  /** Largest message once publishing; before that, `maxCommandBytes`. */
  maxMessageBytes: number
  maxCommandBytes: number
  /** What may wait in a player's socket before frames are left out for it. */
  playerBufferBytes: number
  /** A player that stays over `playerBufferBytes` this long is dropped. */
  slowPlayerMs: number
  /** The newest pictures kept for players who join. */
  gopCacheBytes: number
  /** What may wait for the disk before the encoder is slowed down. */
  diskBufferBytes: number
  /** Segments end at the first keyframe after this many seconds. */
  segmentSeconds: number
  /** Length of the parts for low-latency players, in seconds. */
  partSeconds: number
  /** Segments in a live playlist. */
  windowSegments: number
  /** How long the playlist of an ended stream can still be read. */
  lingerMs: number
}

export const defaultLimits: MediaLimits = {
  graceMs: 60_000,
  publisherIdleMs: 20_000,
  takeoverMs: 5_000,
  handshakeMs: 10_000,
  maxConnections: 2_000,
  maxMessageBytes: 8 * 1024 * 1024,
  maxCommandBytes: 64 * 1024,
  playerBufferBytes: 4 * 1024 * 1024,
  slowPlayerMs: 10_000,
  gopCacheBytes: 16 * 1024 * 1024,
  diskBufferBytes: 32 * 1024 * 1024,
  segmentSeconds: 2,
  partSeconds: 0.5,
  windowSegments: 8,
  lingerMs: 60_000,
}
