import { elapsed, now } from '../../platform/clock.ts'
import { afterCommit } from '../../kernel/database.ts'
import { everything, onForget } from '../../kernel/invalidation.ts'
import type { Log } from '../../platform/log.ts'
import type { MediaEngine, MediaHooks } from '../../platform/media/engine.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import type { DiscardMedia } from './actions.ts'
import type { Playback } from './playback.ts'
import { createRecordingKeeper } from './recordings.ts'
import { audienceTopic, endedTopic, recheckAudience } from './media-topics.ts'
import { carriedBy, type LiveSource, type LiveSources } from './source.ts'

export interface MediaOptions {
  log: Log
  store: ObjectStore
  /** Whose media the engine carries. */
  sources: LiveSources
  playback: Playback
  /** Makes the engine that takes encoders in; it is asked to stop what nobody wants. */
  engine: (hooks: MediaHooks) => MediaEngine
  /** How long a stream waits for its encoder to come back, in ms. */
  graceMs: number
  /** Called every few seconds with the streams that run here. */
  counted(running: string[]): Promise<void>
}

/** The media engine tied to the records of its sources. */
export interface StreamEngine {
  engine: MediaEngine
  /** How a source deletes what it owns, by its own ids. */
  discardOf(source: LiveSource): DiscardMedia
  start(): Promise<void>
  close(): Promise<void>
}

const tickMs = 5_000
/** A media server that is alive says so every tick; after the grace and this, nothing holds the stream. */
const silenceMs = 20_000

/**
 * Keeps the records of the sources and the engine in step: what the engine tells becomes a state and an event, and a
 * watchdog mends what was missed: a stream whose server died, one ended on another node, a recording cut short by a crash.
 */
export function createStreamEngine({
  log,
  store,
  sources,
  playback,
  ...options
}: MediaOptions): StreamEngine {
  const engine = options.engine({
    async authorizePublish({ app, streamName, query, remoteAddress }) {
      const { source, id } = owner(streamName)
      const decision =
        app === 'live' ? await source.mayPublish(id, query.key) : { refuse: 'There is no such application.' }
      if ('refuse' in decision) {
        log.info({ streamId: streamName.slice(0, 50), remoteAddress, ...decision }, 'an encoder was refused')
        return decision
      }
      return { streamId: streamName }
    },
    async authorizePlay({ streamName, query }) {
      const verdict = await playback.judge(streamName, query)
      return verdict === 'allowed' ? { streamId: streamName } : { refuse: 'The stream cannot be watched.' }
    },
    onPublishStart: (streamId) => hold(streamId),
    onReconnect: (streamId) => hold(streamId),
    async onInterrupted(streamId, clean) {
      log.info({ streamId, clean }, 'an encoder went away')
      const { source, id } = owner(streamId)
      await source.interrupted?.(id)
    },
    onPublishStop: (streamId) => over(streamId),
    async onCodecRefused(streamId, codec) {
      log.info({ streamId, codec }, 'an encoder was sent away')
      const { source, id } = owner(streamId)
      await source.refused?.(id)
    },
  })
  const keeper = createRecordingKeeper(sources, engine, store, log)
  const owner = (name: string) => carriedBy(sources, name)
  let unsubscribe: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let watching: Promise<void> = Promise.resolve()

  function discardOf({ prefix }: LiveSource): DiscardMedia {
    return async (tx, id, keys) => {
      await recheckAudience(tx, prefix + id)
      afterCommit(tx, () =>
        attempt('deleting what is left of a stream', id, async () => {
          await engine.forget(prefix + id)
          for (const key of keys) await store.delete(key)
        }),
      )
    }
  }

  function attempt(what: string, streamId: string, work: () => Promise<unknown>): void {
    work().catch((error: unknown) => log.error({ err: error, streamId }, `${what} failed`))
  }

  // What another server missed to tell is mended by the watchdog.
  function stop(streamId: string): void {
    if (streamId !== everything) attempt('stopping a stream', streamId, () => engine.stop(streamId))
  }

  function recheck(streamId: string): void {
    playback.forget()
    const asked = streamId === everything ? engine.runningStreams() : [streamId]
    for (const one of asked) attempt('asking again who may watch', one, () => engine.recheck(one))
  }

  async function hold(streamId: string): Promise<void> {
    const { source, id } = owner(streamId)
    if (!(await source.lives(id))) await engine.stop(streamId)
  }

  async function over(streamId: string): Promise<void> {
    const { source, id } = owner(streamId)
    await source.over(id)
    await keeper.keep(streamId)
  }

  /** Of some names the ids of one source's. */
  function idsOf(source: LiveSource, names: string[]): string[] {
    return names.map(owner).flatMap((one) => (one.source === source ? [one.id] : []))
  }

  async function watch(): Promise<void> {
    const at = now()
    const since = new Date(at.getTime() - options.graceMs - silenceMs)
    for (const source of sources) {
      const running = idsOf(source, engine.runningStreams())
      for (const id of await source.touch(running, at)) await hold(source.prefix + id)
      // After a restart a stream waits for its encoder, of which nobody was told.
      for (const id of running)
        if (engine.status(source.prefix + id) === 'interrupted') await source.interrupted?.(id)
      await source.watch?.(at)
      for (const id of await source.findSilent(since)) await source.over(id)
      await sweep(source)
    }
    // Addresses expire, and a post may have moved to where fewer may look.
    for (const name of engine.runningStreams()) await engine.recheck(name)
    await options.counted(engine.runningStreams())
  }

  // Streams that ended but whose recording was not kept, or whose files are no longer needed.
  async function sweep(source: LiveSource): Promise<void> {
    const ended = idsOf(
      source,
      (await engine.endedStreams()).filter((name) => engine.status(name) === null),
    )
    if (ended.length === 0) return
    const unrecorded = await source.findUnrecorded(ended)
    for (const id of ended) {
      const streamId = source.prefix + id
      try {
        if (unrecorded.has(id)) await over(streamId)
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
    discardOf,
    async start() {
      await engine.start()
      unsubscribe = [onForget(endedTopic, stop), onForget(audienceTopic, recheck)]
      timer = setTimeout(tick, 0)
    },
    async close() {
      clearTimeout(timer)
      timer = undefined
      unsubscribe.forEach((end) => end())
      await watching
      await engine.close()
    },
  }
}
