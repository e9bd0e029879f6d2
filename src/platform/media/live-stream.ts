import type { ServerResponse } from 'node:http'
import { elapsed, now } from '../clock.ts'
import type { Log } from '../log.ts'
import type { HlsAnswer, HlsRequest, StopReason, StreamStatus } from './engine.ts'
import type { MediaLimits } from './options.ts'
import { createPipeline, type Accepted, type Pipeline } from './pipeline.ts'
import type { Stays } from './players.ts'
import { openRecorder, type Recorder } from './recording/recorder.ts'
import type { StreamFolder, StreamState } from './recording/stream-folder.ts'
import type { PlayerLink, PlayTarget, PublisherLink, PublishTarget } from './rtmp/session.ts'

export type LiveStreamEvents = {
  started(): void
  interrupted(clean: boolean): void
  reconnected(): void
  stopped(reason: StopReason): void
  codecRefused(codec: string): void
  /** No media ever came and the publisher left: nothing of the stream remains. */
  vanished(): void
}

export type LiveStreamOptions = {
  folder: StreamFolder
  limits: MediaLimits
  log: Log
  events: LiveStreamEvents
  /** A stream of a former process that waits for its encoder, and where its time and its segments continue. */
  resumed?: { state: StreamState; lastTimestamp: number; firstSegment: number }
}

/** A stream from its first publisher to its end. */
export type LiveStream = {
  status(): StreamStatus | 'new'
  attach(link: PublisherLink): Promise<PublishTarget | { refuse: string }>
  play(link: PlayerLink, stays: Stays): PlayTarget
  playFlv(response: ServerResponse, stays: Stays): void
  recheck(): Promise<void>
  playerCount(): number
  readHls(request: HlsRequest): Promise<HlsAnswer | null>
  keyframe: Pipeline['keyframe']
  end(reason: StopReason): Promise<void>
  /** Closes files so that another process can continue the stream. */
  suspend(): Promise<void>
}

type Publisher = { link: PublisherLink; heardAt: number; flowing: boolean; held: boolean }

const watchMs = 1_000

/** Ties a stream's publishers, its media and its files together and watches over them. */
export function createLiveStream(options: LiveStreamOptions): LiveStream {
  const { folder, limits, log, events, resumed } = options
  const pipeline = createPipeline({
    limits,
    log,
    liveFolder: folder.live,
    lastTimestamp: resumed?.lastTimestamp ?? -1,
    firstSegment: resumed?.firstSegment ?? 0,
  })
  let status: StreamStatus | 'new' = resumed ? 'interrupted' : 'new'
  let state: StreamState = resumed?.state ?? { startTime: now().toISOString(), missing: [] }
  let publisher: Publisher | null = null
  let recorder: Recorder | null = null
  let opening: Promise<void> | null = null
  let grace: NodeJS.Timeout | null = null
  let ending: Promise<void> | null = null
  const watch = setInterval(watchPublisher, watchMs)
  if (resumed) waitForEncoder()

  async function record(): Promise<void> {
    const opened = await openRecorder(folder.source, {
      checkpoint: (checkpoint) => save({ checkpoint }),
      drained: releasePublisher,
      failed(error) {
        log.error({ err: error }, 'a live recording can no longer be written')
        const missing = [...state.missing, `Writing failed (${error.message}); media after that is missing.`]
        void save({ missing }).catch(() => undefined)
      },
    })
    recorder = opened
    pipeline.recordTo(opened)
  }

  async function save(changes: Partial<StreamState>): Promise<void> {
    state = { ...state, ...changes }
    if (status !== 'new') await folder.save(state)
  }

  function saveOrLog(changes: Partial<StreamState>): void {
    save(changes).catch((error: unknown) =>
      log.error({ err: error }, 'the state of a stream could not be saved'),
    )
  }

  async function attach(link: PublisherLink): Promise<PublishTarget | { refuse: string }> {
    if (status === 'ended') return { refuse: 'The stream has ended.' }
    if (publisher && elapsed() - publisher.heardAt < limits.takeoverMs) {
      return { refuse: 'The stream already has a publisher.' }
    }
    publisher?.link.refuse('NetStream.Publish.BadName', 'Another publisher took over.')
    if (publisher) lost(publisher, false)
    const own: Publisher = { link, heardAt: elapsed(), flowing: false, held: false }
    publisher = own
    pipeline.restart()
    try {
      await (opening ??= record())
    } catch (error) {
      opening = null
      lost(own, false)
      throw error
    }
    return {
      media: (type, timestamp, frame) => onMedia(own, type, timestamp, frame),
      metadata: (values) => onAccepted(own, pipeline.metadata(values)),
      closed: (clean) => lost(own, clean),
    }
  }

  function onMedia(own: Publisher, type: 8 | 9, timestamp: number, frame: Buffer): void {
    if (publisher !== own) return
    own.heardAt = elapsed()
    onAccepted(own, pipeline.accept(type, timestamp, frame))
    if (!own.held && recorder && recorder.pendingBytes() > limits.diskBufferBytes) {
      own.held = true
      own.link.pause()
    }
  }

  function onAccepted(own: Publisher, accepted: Accepted): void {
    if (publisher !== own) return
    if (accepted.use === 'refuse') {
      events.codecRefused(accepted.codec)
      own.link.refuse('NetStream.Publish.Denied', `Only H.264 and AAC are supported, not ${accepted.codec}.`)
      lost(own, false)
    } else if (accepted.use === 'media' && !own.flowing) {
      own.flowing = true
      flows()
    }
  }

  function releasePublisher(): void {
    if (!publisher?.held) return
    publisher.held = false
    publisher.link.resume()
  }

  function flows(): void {
    if (grace) clearTimeout(grace)
    grace = null
    const isNew = status === 'new'
    status = 'live'
    if (isNew) {
      saveOrLog({ startTime: now().toISOString() })
      events.started()
    } else events.reconnected()
  }

  function lost(own: Publisher, clean: boolean): void {
    if (publisher !== own) return
    publisher = null
    if (status === 'new') {
      // It may be trying again, e.g. with another codec; nothing is announced yet.
      if (!grace) waitForEncoder()
    } else if (status === 'live' && own.flowing) {
      status = 'interrupted'
      pipeline.interrupt()
      waitForEncoder()
      events.interrupted(clean)
    }
  }

  /** The wait ends when media flows, not when someone connects: a silent encoder must not keep a stream alive. */
  function waitForEncoder(): void {
    grace = setTimeout(() => void end('timeout'), limits.graceMs)
  }

  function watchPublisher(): void {
    if (!publisher || publisher.held || elapsed() - publisher.heardAt < limits.publisherIdleMs) return
    publisher.link.refuse('NetStream.Publish.Idle', 'No media arrived for too long.')
    lost(publisher, false)
  }

  async function discard(): Promise<void> {
    await closeRecorder()
    await folder.remove()
    events.vanished()
  }

  async function closeRecorder(): Promise<void> {
    await opening?.catch(() => undefined)
    pipeline.recordTo(null)
    await recorder
      ?.close()
      .catch((error: unknown) => log.error({ err: error }, 'a live recording could not be closed'))
    recorder = null
  }

  function leave(description: string): void {
    clearInterval(watch)
    if (grace) clearTimeout(grace)
    const link = publisher?.link
    publisher = null
    link?.refuse('NetStream.Publish.BadName', description)
    pipeline.interrupt()
    pipeline.players.end()
  }

  async function finish(reason: StopReason): Promise<void> {
    const isNew = status === 'new'
    status = 'ended'
    leave('The stream has ended.')
    pipeline.window.end()
    if (isNew) return discard()
    await closeRecorder()
    await save({ stopTime: now().toISOString(), reason })
  }

  async function end(reason: StopReason): Promise<void> {
    if (ending) return ending
    const wasNew = status === 'new'
    ending = finish(reason)
    await ending.catch((error: unknown) => log.error({ err: error }, 'a stream could not be closed in order'))
    if (!wasNew) events.stopped(reason)
  }

  return {
    status: () => status,
    attach,
    play: (link, stays) => pipeline.players.addRtmp(link, stays),
    playFlv: (response, stays) => pipeline.players.addFlv(response, stays),
    recheck: () => pipeline.players.recheck(),
    playerCount: () => pipeline.players.count(),
    async readHls({ path, query, carryQuery }) {
      const segment = Number.parseInt(query?._HLS_msn ?? '', 10)
      const part = Number.parseInt(query?._HLS_part ?? '-1', 10)
      const place = Number.isSafeInteger(segment)
        ? { segment, part: Number.isSafeInteger(part) ? part : -1 }
        : null
      return pipeline.window.read(path, place, carryQuery)
    },
    keyframe: pipeline.keyframe,
    end,
    async suspend() {
      if (status === 'ended') return void (await ending)
      const isNew = status === 'new'
      leave('The server is restarting.')
      pipeline.window.release()
      if (isNew) return discard()
      await closeRecorder()
      await save({ suspended: true })
      await pipeline.window.settled()
    },
  }
}
