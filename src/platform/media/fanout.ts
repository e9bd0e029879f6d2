import { elapsed } from '../clock.ts'
import type { MediaTag } from './flv/tag.ts'
import type { MediaLimits } from './options.ts'

/** The part of a socket or HTTP response that players are written through. */
export type PlayerSink = {
  write(bytes: Buffer): unknown
  cork(): void
  uncork(): void
  end(): unknown
  readonly writableLength: number
  destroy(): unknown
}

export type Fanout = {
  /** Adds a player: first the greeting, then everything sent from now on. `joined` false waits for a keyframe. */
  add(sink: PlayerSink, greeting: Buffer[], joined: boolean): void
  remove(sink: PlayerSink): void
  /** Passes a tag to all players; `joinable` when a player can begin with it. */
  send(tag: MediaTag, joinable: boolean): void
  /** Writes out what waits for the next round. */
  flush(): void
  size(): number
}

type Player = { sink: PlayerSink; waiting: boolean; slowSince: number | null }

/** Frames are joined for this long: one write per player and round instead of one per frame. */
const roundMs = 20

/**
 * Writes tags to many players, encoded once. A player whose socket is full gets no frames until it has caught up
 * and the next keyframe comes; one that stays behind is dropped.
 */
export function createFanout(
  encode: (tag: MediaTag) => Buffer,
  configTags: () => MediaTag[],
  limits: Pick<MediaLimits, 'playerBufferBytes' | 'slowPlayerMs'>,
): Fanout {
  const players = new Map<PlayerSink, Player>()
  let round: Buffer[] = []
  let roundBytes = 0
  let joinAt = -1
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (round.length === 0) return
    const bytes = round.length === 1 ? round[0]! : Buffer.concat(round, roundBytes)
    const from = joinAt
    round = []
    roundBytes = 0
    joinAt = -1
    for (const player of players.values()) deliver(player, bytes, from)
  }

  function deliver(player: Player, bytes: Buffer, from: number): void {
    const { sink } = player
    const queued = sink.writableLength
    if (queued > limits.playerBufferBytes) {
      player.waiting = true
      player.slowSince ??= elapsed()
    } else if (queued < limits.playerBufferBytes / 2) player.slowSince = null
    if (player.slowSince !== null && elapsed() - player.slowSince > limits.slowPlayerMs) {
      players.delete(sink)
      sink.destroy()
      return
    }
    if (!player.waiting) return void sink.write(bytes)
    if (from < 0 || player.slowSince !== null) return
    player.waiting = false
    for (const tag of configTags()) sink.write(encode(tag))
    sink.write(bytes.subarray(from))
  }

  return {
    add(sink, greeting, joined) {
      flush()
      // Written piece by piece, not joined: a hundred players who join share the same bytes in memory.
      sink.cork()
      for (const bytes of greeting) sink.write(bytes)
      sink.uncork()
      players.set(sink, { sink, waiting: !joined, slowSince: null })
    },
    remove: (sink) => void players.delete(sink),
    send(tag, joinable) {
      if (players.size === 0) return
      if (joinable && joinAt < 0) joinAt = roundBytes
      const bytes = encode(tag)
      round.push(bytes)
      roundBytes += bytes.length
      timer ??= setTimeout(flush, roundMs)
    },
    flush,
    size: () => players.size,
  }
}
