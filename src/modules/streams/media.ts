import { elapsed, now } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { MediaEngine, MediaHooks } from '../../platform/media/engine.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import type { StreamMedia } from './actions.ts'
import type { Playback } from './playback.ts'
import { createRecordingKeeper } from './recordings.ts'
import { carriedBy, carriedName, type LiveSource } from './source.ts'

export interface MediaOptions {
  log: Log
  store: ObjectStore
  /** Whose media the engine carries. */
  sources: readonly LiveSource[]
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
  /** What a source needs to end and delete what it owns, by its own ids. */
  mediaOf(source: LiveSource): StreamMedia
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
    async authorizePublish({ app, streamName, query }) {
      const source = sources.find((one) => one.app === app)
      if (!source) return { refuse: 'There is no such application.' }
      const decision = await source.mayPublish(streamName, query.key)
      return 'refuse' in decision ? decision : { streamId: carriedName(source, decision.streamId) }
    },
    async authorizePlay({ app, streamName, query }) {
      const source = sources.find((one) => one.app === app)
      const verdict = source ? await playback.judge(source, streamName, query) : 'missing'
      return source && verdict === 'allowed'
        ? { streamId: carriedName(source, streamName) }
        : { refuse: 'The stream cannot be watched.' }
    },
    onPublishStart: (name) => hold(name),
    onReconnect: (name) => hold(name),
    async onInterrupted(name, clean) {
      log.info({ streamId: name, clean }, 'an encoder went away')
      const { source, id } = owner(name)
      await source.interrupted?.(id)
    },
    onPublishStop: (name) => over(name),
    async onCodecRefused(name, codec) {
      log.info({ streamId: name, codec }, 'an encoder was sent away')
      const { source, id } = owner(name)
      await source.refused?.(id)
    },
  })
  const keeper = createRecordingKeeper(sources, engine, store, log)
  const mediaOf = (source: LiveSource): StreamMedia => ({
    stop: (id) => attempt('stopping a stream', id, () => engine.stop(carriedName(source, id))),
    discard: (id, keys) =>
      attempt('deleting what is left of a stream', id, async () => {
        await engine.forget(carriedName(source, id))
        for (const key of keys) await store.delete(key)
      }),
  })
  let timer: NodeJS.Timeout | undefined
  let watching: Promise<void> = Promise.resolve()

  function attempt(what: string, streamId: string, work: () => Promise<unknown>): void {
    work().catch((error: unknown) => log.error({ err: error, streamId }, `${what} failed`))
  }

  function owner(name: string): { source: LiveSource; id: string } {
    const found = carriedBy(sources, name)
    if (!found) throw new Error(`nothing here owns ${name}`)
    return found
  }

  async function hold(name: string): Promise<void> {
    const { source, id } = owner(name)
    if (!(await source.lives(id))) await engine.stop(name)
  }

  async function over(name: string): Promise<void> {
    const { source, id } = owner(name)
    await source.over(mediaOf(source), id)
    await keeper.keep(name)
  }

  /** Of some names the ids of one source's. */
  function idsOf(source: LiveSource, names: string[]): string[] {
    return names.flatMap((name) => {
      const found = carriedBy(sources, name)
      return found?.source === source ? [found.id] : []
    })
  }

  async function watch(): Promise<void> {
    const at = now()
    const since = new Date(at.getTime() - options.graceMs - silenceMs)
    for (const source of sources) {
      const running = idsOf(source, engine.runningStreams())
      for (const id of await source.touch(running, at)) await hold(carriedName(source, id))
      // After a restart a stream waits for its encoder without having been told of as interrupted.
      for (const id of running)
        if (engine.status(carriedName(source, id)) === 'interrupted') await source.interrupted?.(id)
      await source.watch?.(mediaOf(source), at)
      for (const id of await source.findSilent(since)) await source.over(mediaOf(source), id)
      await sweep(source)
    }
    await options.counted(engine.runningStreams())
  }

  // Streams that ended but whose recording was not kept, or whose files are no longer needed.
  async function sweep(source: LiveSource): Promise<void> {
    const ended = (await engine.endedStreams()).filter((name) => engine.status(name) === null)
    const ids = idsOf(source, ended)
    if (ids.length === 0) return
    const unrecorded = await source.findUnrecorded(ids)
    for (const id of ids) {
      const name = carriedName(source, id)
      try {
        if (unrecorded.has(id)) await over(name)
        await engine.forget(name)
      } catch (error) {
        log.error({ err: error, streamId: name }, 'a recording could not be made; it is tried again')
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
    mediaOf,
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
