import type { MediaTag } from '../flv/tag.ts'
import { createFragmenter, type Fragmenter } from '../mp4/fragmenter.ts'
import { encodeInitSegment } from '../mp4/init-segment.ts'
import type { TrackConfigs } from '../mp4/track-box.ts'
import type { LiveWindow } from './live-window.ts'

/** Feeds a live window from tags. */
export type LiveHls = {
  add(tag: MediaTag): void
  /** The codec settings in force from the next tag on; ends the running segment when media was already sent. */
  configure(tracks: TrackConfigs): void
  /** Media pauses; what is there is published at once. */
  interrupt(): void
}

/** Media waits this long for the settings of a second track before it is taken as having only one. */
const settleMs = 1_000

/** Fills the window; `wallClock` dates the first frame after each beginning. */
export function createLiveHls(
  window: LiveWindow,
  pace: { segmentMs: number; partMs: number },
  wallClock: () => Date,
  continues: boolean,
): LiveHls {
  let tracks: TrackConfigs = { video: null, audio: null }
  let fragmenter: Fragmenter | null = null
  let early: MediaTag[] = []
  let begun = continues

  function start(): void {
    window.begin(encodeInitSegment(tracks), wallClock(), begun)
    begun = true
    fragmenter = createFragmenter(tracks, pace, {
      part: (part) => window.part(part),
      segment: (_startMs, duration) => window.segment(duration),
    })
    for (const tag of early) fragmenter.add(tag)
    early = []
  }

  function finish(): void {
    if (!fragmenter && early.length > 0) start()
    // A last segment of a few frames makes hls.js wait until it has left the playlist.
    fragmenter?.finish(false)
    fragmenter = null
  }

  return {
    add(tag) {
      if (tag.config) return
      if (fragmenter) return fragmenter.add(tag)
      early.push(tag)
      const waited = tag.timestamp - early[0]!.timestamp
      if ((tracks.video && tracks.audio) || waited >= settleMs) start()
    },
    configure(changed) {
      if (fragmenter) finish()
      tracks = changed
    },
    interrupt: finish,
  }
}
