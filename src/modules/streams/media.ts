import { elapsed, now } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { MediaEngine, MediaHooks } from '../../platform/media/engine.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import type { Db } from '../../kernel/database.ts'
import type { StreamMedia } from './actions.ts'
import { mayPublish, streamLives, streamOver } from './life-cycle.ts'
import type { Playback } from './playback.ts'
import { createRecordingKeeper } from './recordings.ts'
import { findSilent, findStatuses, touchStreams } from './store.ts'

export interface MediaOptions {
  db: Db
  log: Log
  store: ObjectStore
  playback: Playback
  /** Makes the engine that takes encoders in; it is asked to stop what nobody wants. */
  engine: (hooks: MediaHooks) => MediaEngine
  /** How long a stream waits for its encoder to come back, in ms. */
  graceMs: number
  /** Called every few seconds with the streams that run here. */
  counted(running: string[]): Promise<void>
}

/** The media engine tied to the records of streams. */
export interface StreamEngine extends StreamMedia {
  engine: MediaEngine
  start(): Promise<void>
  close(): Promise<void>
}

const tickMs = 5_000
/** A media server that is alive says so every tick; after the grace and this, nothing holds the stream. */
const silenceMs = 20_000

/**
 * Keeps the records of streams and the engine in step: what the engine tells becomes a state and an event, and a
 * watchdog mends what was missed: a stream whose server died, one ended on another node, a recording cut short by a crash.
 */
export function createStreamEngine({ db, log, store, playback, ...options }: MediaOptions): StreamEngine {
  const engine = options.engine({
    async authorizePublish({ app, streamName, query, remoteAddress }) {
      const decision =
        app === 'live'
          ? await mayPublish(db, streamName, query.key)
          : { refuse: 'There is no such application.' }
      if ('refuse' in decision)
        log.info({ streamId: streamName.slice(0, 50), remoteAddress, ...decision }, 'an encoder was refused')
      return decision
    },
    async authorizePlay({ streamName, query }) {
      const verdict = await playback.judge(streamName, query)
      return verdict === 'allowed' ? { streamId: streamName } : { refuse: 'The stream cannot be watched.' }
    },
    onPublishStart: (streamId) => hold(streamId),
    onReconnect: (streamId) => hold(streamId),
    onInterrupted: (streamId, clean) => log.info({ streamId, clean }, 'an encoder went away'),
    onPublishStop: (streamId) => over(streamId),
    onCodecRefused: (streamId, codec) => log.info({ streamId, codec }, 'an encoder was sent away'),
  })
  const keeper = createRecordingKeeper(db, engine, store, log)
  const media: StreamMedia = {
    stop: (streamId) => attempt('stopping a stream', streamId, () => engine.stop(streamId)),
    discard: (streamId, keys) =>
      attempt('deleting what is left of a stream', streamId, async () => {
        await engine.forget(streamId)
        for (const key of keys) await store.delete(key)
      }),
  }
  let timer: NodeJS.Timeout | undefined
  let watching: Promise<void> = Promise.resolve()

  function attempt(what: string, streamId: string, work: () => Promise<unknown>): void {
    work().catch((error: unknown) => log.error({ err: error, streamId }, `${what} failed`))
  }

  async function hold(streamId: string): Promise<void> {
    if (!(await streamLives(db, streamId))) await engine.stop(streamId)
  }

  async function over(streamId: string): Promise<void> {
    await streamOver(db, media, streamId)
    await keeper.keep(streamId)
  }

  async function watch(): Promise<void> {
    const at = now()
    for (const streamId of await touchStreams(db, engine.runningStreams(), at)) await hold(streamId)
    await options.counted(engine.runningStreams())
    const since = new Date(at.getTime() - options.graceMs - silenceMs)
    for (const streamId of await findSilent(db, since)) await streamOver(db, media, streamId)
    await sweep()
  }

  // Streams that ended but whose recording was not kept, or whose files are no longer needed.
  async function sweep(): Promise<void> {
    const ended = (await engine.endedStreams()).filter((id) => engine.status(id) === null)
    if (ended.length === 0) return
    const statuses = await findStatuses(db, ended)
    for (const streamId of ended) {
      const found = statuses.get(streamId)
      const isWanted = found !== undefined && !found.isDeleted && found.status !== 'recorded'
      try {
        if (isWanted) await over(streamId)
        await engine.forget(streamId)
      } catch (error) {
        log.error({ err: error, streamId }, 'a recording could not be made; it is tried again')
      }
    }
  }

  function tick(): void {
    const began = elapsed()
    watching = watch()
      .catch((error: unknown) => log.warn({ err: error }, 'looking after live streams failed'))
      .finally(() => {
        if (timer !== undefined) timer = setTimeout(tick, Math.max(0, tickMs - (elapsed() - began)))
      })
  }

  return {
    engine,
    ...media,
    async start() {
      await engine.start()
      timer = setTimeout(tick, 0)
    },
    async close() {
      clearTimeout(timer)
      timer = undefined
      await watching
      await engine.close()
    },
  }
}
