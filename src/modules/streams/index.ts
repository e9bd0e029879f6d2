import type { Log } from '../../platform/log.ts'
import type { MediaEngine, MediaHooks } from '../../platform/media/engine.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import { createQuerySigner } from '../../platform/tokens/signed-query.ts'
import type { Db } from '../../kernel/database.ts'
import type { Slice } from '../../kernel/slice.ts'
import type { DiscardMedia } from './actions.ts'
import type { StreamAddresses } from './addresses.ts'
import type { UserDeparture } from '../users/index.ts'
import { streamDeparture } from './departure.ts'
import { streamEvents } from './events.ts'
import { callbackRoutes, type CallbackOptions } from './callback-routes.ts'
import { createStreamEngine } from './media.ts'
import { createPlayback } from './playback.ts'
import { playbackRoutes } from './playback-routes.ts'
import { streamSlots } from './resource.ts'
import { streamRoutes } from './routes.ts'
import type { LiveSource, LiveSources } from './source.ts'
import { createStreamSource } from './stream-source.ts'
import { createViewerCounter } from './viewer-counter.ts'
import { createViewerCounts } from './viewer-counts.ts'
import { watchingRoutes } from './watching-routes.ts'

export {
  requireChattableStream,
  streamBanFollower,
  streamPostReference,
  streamReactionTarget,
} from './targets.ts'
export { type DiscardMedia } from './actions.ts'
export { recordingUrl, streamerUrl, thumbnailUrl, watcherUrls, type StreamAddresses } from './addresses.ts'
export { requireLiveContent } from './content.ts'
export { placeColumns, placeJoins, type LivePlace } from './place-store.ts'
export { readablePage } from './readable-page.ts'
export { readReportedTime } from './reported-time.ts'
export { type RecordedFacts, type RecordedFile } from './life-cycle.ts'
export { signatureMs } from './resource.ts'
export { recheckAudience, stopMedia } from './media-topics.ts'
export { type LiveSource } from './source.ts'

export interface StreamingOptions {
  db: Db
  log: Log
  store: ObjectStore
  addresses: StreamAddresses
  /** Signs addresses of what is not for everyone; the same on every node. */
  secret: string
  /** Makes the media engine, which asks and tells these hooks. */
  engine: (hooks: MediaHooks) => MediaEngine
  /** How long a stream waits for its encoder to come back, in ms. */
  graceMs: number
  /** What else than streams is live here. */
  sources?: readonly LiveSource[]
  /** The media server beside this one, where there is one: what it must present, and who hears its reports. */
  callbacks?: Pick<CallbackOptions, 'secret' | 'report'> | undefined
}

/** Live video: the slice, and the media behind it, which is started and closed with the server. */
export interface Streaming {
  slice: Slice
  /** How another source deletes what it owns. */
  discardOf(source: LiveSource): DiscardMedia
  departure: UserDeparture
  /** The port encoders publish to, once started. */
  rtmpPort(): number
  start(): Promise<void>
  close(): Promise<void>
}

/** Ties streams to a media engine. */
export function createStreaming(options: StreamingOptions): Streaming {
  const { db, log, store, addresses, secret } = options
  const signer = createQuerySigner(secret)
  const own = createStreamSource(db)
  const sources: LiveSources = [own, ...(options.sources ?? [])]
  const playback = createPlayback(sources, signer)
  const viewers = createViewerCounter()
  const media = createStreamEngine({
    ...options,
    sources,
    playback,
    counted: (running) => counts.tell(running),
  })
  const { engine, discardOf } = media
  const counts = createViewerCounts(db, {
    names: () => [...new Set([...viewers.names(), ...engine.runningStreams()])],
    count: (name) => viewers.count(name) + engine.playerCount(name),
  })

  return {
    slice: {
      name: 'streams',
      slots: streamSlots(addresses, signer),
      events: streamEvents,
      routes(routes) {
        streamRoutes(routes, discardOf(own))
        watchingRoutes(routes, counts.read)
        if (options.callbacks) callbackRoutes(routes, { ...options.callbacks, playback })
        playbackRoutes(routes, { sources, engine, store, playback, viewers })
      },
    },
    discardOf,
    departure: streamDeparture(discardOf(own)),
    rtmpPort: engine.rtmpPort,
    async start() {
      await media.start()
      log.info({ rtmpPort: engine.rtmpPort() }, 'taking encoders in')
    },
    close: () => media.close(),
  }
}
