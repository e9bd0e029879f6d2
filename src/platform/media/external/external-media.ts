import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { now } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { MediaEngine, MediaHooks, StopReason } from '../engine.ts'
import { finishRecording } from '../recording/finish.ts'
import { isStreamId, listStreams, streamFolder, type StreamState } from '../recording/stream-folder.ts'
import { isBelow, joinRecordings } from './join-recordings.ts'
import type { MediaSignal } from './signal.ts'

export type ExternalMediaOptions = {
  /** Folder for what is known of streams and for recordings on their way into the store. */
  folder: string
  hooks: MediaHooks
  log: Log
  /** How long a stream waits for its encoder, and for the next sign of a server that gives any, in ms. */
  graceMs: number
  /** Folder in which the server leaves its FLV recordings, as seen from here; null when it leaves none. */
  recordings: string | null
}

/** Streams that another server carries. It asks and tells by `report`; nothing is played or taken in here. */
export type ExternalMedia = MediaEngine & {
  /** Answers null when all is well, or why a publisher or player must be refused. */
  report(signal: MediaSignal): Promise<string | null>
}

type Carried = {
  state: StreamState & { files?: string[] }
  status: 'live' | 'interrupted' | 'ended'
  /** Runs out when the encoder does not come back, or when a server that gave signs of life gives none. */
  timer?: NodeJS.Timeout
}

/** A sign of life comes every half a minute from nginx-rtmp, with every segment from SRS. */
const silenceMs = 90_000

/** Follows streams on another RTMP server by what it reports. Survives restarts of both. */
export function createExternalMedia(options: ExternalMediaOptions): ExternalMedia {
  const { hooks, log, graceMs } = options
  const base = resolve(options.folder)
  const streams = new Map<string, Carried>()
  const finishing = new Map<string, ReturnType<typeof finishRecording>>()

  function tell(what: string, streamId: string, call: () => void | Promise<void> | undefined): void {
    Promise.resolve()
      .then(call)
      .catch((error: unknown) => log.error({ err: error, streamId, what }, 'a media hook failed'))
  }

  const save = (streamId: string, { state }: Carried) => streamFolder(base, streamId).save(state)

  function wait(streamId: string, carried: Carried, ms: number): void {
    clearTimeout(carried.timer)
    carried.timer = setTimeout(() => void end(streamId, 'timeout'), ms)
  }

  async function begin(streamId: string): Promise<void> {
    const carried = streams.get(streamId)
    clearTimeout(carried?.timer)
    if (carried?.status === 'live') return
    if (carried) {
      carried.status = 'live'
      return tell('onReconnect', streamId, () => hooks.onReconnect?.(streamId))
    }
    const begun: Carried = { state: { startTime: now().toISOString(), missing: [] }, status: 'live' }
    streams.set(streamId, begun)
    await save(streamId, begun)
    tell('onPublishStart', streamId, () => hooks.onPublishStart?.(streamId))
  }

  async function end(streamId: string, reason: StopReason): Promise<void> {
    const carried = streams.get(streamId)
    if (!carried || carried.status === 'ended') return
    clearTimeout(carried.timer)
    carried.status = 'ended'
    Object.assign(carried.state, { stopTime: now().toISOString(), reason })
    await save(streamId, carried)
    // The server closes its recording when its encoder is gone, and says so soon after.
    const isPublishing = reason === 'stopped' && options.recordings !== null
    carried.timer = setTimeout(() => void close(streamId, reason), isPublishing ? graceMs : 0)
  }

  async function close(streamId: string, reason: StopReason): Promise<void> {
    const carried = streams.get(streamId)
    clearTimeout(carried?.timer)
    streams.delete(streamId)
    tell('onPublishStop', streamId, () => hooks.onPublishStop?.(streamId, reason))
  }

  async function noteRecording(streamId: string, carried: Carried, file: string): Promise<void> {
    if (options.recordings === null || !(await isBelow(options.recordings, file))) {
      log.warn({ streamId, file }, 'a recording is not in the folder for recordings, and is left where it is')
      return
    }
    carried.state.files = [...new Set([...(carried.state.files ?? []), file])]
    await save(streamId, carried)
    if (carried.status === 'ended') await close(streamId, carried.state.reason ?? 'stopped')
  }

  async function make(streamId: string) {
    const folder = streamFolder(base, streamId)
    const state = (await folder.load()) as Carried['state'] | null
    if (state?.stopTime && state.files) {
      await mkdir(folder.root, { recursive: true })
      await joinRecordings(state.files, folder.source)
    }
    return finishRecording(streamId, folder)
  }

  async function ask(decision: ReturnType<MediaHooks['authorizePlay']>): Promise<string | { id: string }> {
    const answer = await decision
    if ('refuse' in answer) return answer.refuse
    return isStreamId(answer.streamId) ? { id: answer.streamId } : 'The stream cannot be carried.'
  }

  async function report(signal: MediaSignal): Promise<string | null> {
    const { act, streamName } = signal
    if (act === 'publish') {
      const asked = await ask(hooks.authorizePublish(signal))
      if (typeof asked === 'string') return asked
      if (streams.get(asked.id)?.status === 'ended') return 'The stream has ended.'
      await begin(asked.id)
      return null
    }
    if (act === 'play') {
      const asked = await ask(hooks.authorizePlay(signal))
      return typeof asked === 'string' ? asked : null
    }
    const carried = streams.get(streamName)
    if (act === 'alive') {
      if (!carried || carried.status === 'ended') return 'The stream has ended.'
      await begin(streamName)
      wait(streamName, carried, Math.max(silenceMs, graceMs))
    } else if (act === 'unpublish' && carried?.status === 'live') {
      carried.status = 'interrupted'
      wait(streamName, carried, graceMs)
      tell('onInterrupted', streamName, () => hooks.onInterrupted?.(streamName, true))
    } else if (act === 'recorded' && carried) await noteRecording(streamName, carried, signal.file)
    return null
  }

  const engine: MediaEngine = {
    async start() {
      for (const streamId of await listStreams(base)) {
        const state = await streamFolder(base, streamId).load()
        if (!state || state.stopTime) continue
        const carried: Carried = { state, status: 'interrupted' }
        streams.set(streamId, carried)
        wait(streamId, carried, graceMs)
      }
    },
    async close() {
      for (const { timer } of streams.values()) clearTimeout(timer)
      await Promise.allSettled(finishing.values())
    },
    rtmpPort: () => 0,
    status: (streamId) => streams.get(streamId)?.status ?? null,
    runningStreams: () => [...streams].filter(([, one]) => one.status !== 'ended').map(([id]) => id),
    playerCount: () => 0,
    stop: (streamId) => end(streamId, 'stopped'),
    handleHls: async () => null,
    handleFlv: () => false,
    // Its players are the other server's, which asks when they come.
    recheck: async () => undefined,
    thumbnail: async () => null,
    async endedStreams() {
      const ended: string[] = []
      for (const streamId of await listStreams(base))
        if ((await streamFolder(base, streamId).load())?.stopTime) ended.push(streamId)
      return ended
    },
    finishRecording(streamId) {
      const work = finishing.get(streamId) ?? make(streamId).finally(() => finishing.delete(streamId))
      finishing.set(streamId, work)
      return work
    },
    async forget(streamId) {
      clearTimeout(streams.get(streamId)?.timer)
      streams.delete(streamId)
      await finishing.get(streamId)?.catch(() => undefined)
      await streamFolder(base, streamId).remove()
    },
  }
  return { ...engine, report }
}
