import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { MediaDecision, MediaEngine, MediaRequest } from './engine.ts'
import { createLiveStream, type LiveStream, type LiveStreamOptions } from './live-stream.ts'
import { defaultLimits, type MediaLimits, type MediaServerOptions } from './options.ts'
import { finishRecording } from './recording/finish.ts'
import { recoverStream } from './recording/recover.ts'
import { isStreamId, listStreams, streamFolder } from './recording/stream-folder.ts'
import { createRtmpServer } from './rtmp/server.ts'
import type { PublisherLink, PublishTarget } from './rtmp/session.ts'
import { createThumbnails } from './thumbnail.ts'

/** The media server in this process: RTMP in; HLS, HTTP-FLV and RTMP out; recordings on disk. */
export function createMediaServer(options: MediaServerOptions): MediaEngine {
  const { hooks, log } = options
  const base = resolve(options.folder)
  const limits: MediaLimits = { ...defaultLimits, ...options.limits }
  const streams = new Map<string, LiveStream>()
  const lingering = new Map<string, NodeJS.Timeout>()
  const finishing = new Map<string, ReturnType<typeof finishRecording>>()
  const thumbnails = createThumbnails(log)
  let closing = false
  const address = { host: options.host ?? '0.0.0.0', port: options.port ?? 1935 }
  const rtmp = createRtmpServer(
    address,
    {
      publish,
      async play(request, link) {
        const decision = await decide(hooks.authorizePlay(request))
        if ('refuse' in decision) return decision
        const stream = running(decision.streamId)
        if (!stream) return { refuse: 'The stream is not live.' }
        return stream.play(link, async () => !('refuse' in (await hooks.authorizePlay(request))))
      },
    },
    limits,
    log,
  )

  /** Tells the owner; what goes wrong there must not disturb the stream. */
  function tell(event: string, streamId: string, call: () => void | Promise<void> | undefined): void {
    Promise.resolve()
      .then(call)
      .catch((error: unknown) => log.error({ err: error, streamId, event }, 'a media hook failed'))
  }

  async function decide(answer: Promise<MediaDecision>): Promise<MediaDecision> {
    const decision = await answer
    if ('refuse' in decision || isStreamId(decision.streamId)) return decision
    return { refuse: 'The stream cannot be carried.' }
  }

  async function publish(
    request: MediaRequest,
    link: PublisherLink,
  ): Promise<PublishTarget | { refuse: string }> {
    const decision = await decide(hooks.authorizePublish(request))
    if ('refuse' in decision) return decision
    if (closing) return { refuse: 'The server is restarting.' }
    const { streamId } = decision
    const folder = streamFolder(base, streamId)
    const stored = streams.has(streamId) ? null : await folder.load()
    if (stored) return { refuse: 'The stream has ended.' }
    const stream = streams.get(streamId) ?? open(streamId, { folder })
    return stream.attach(link)
  }

  function open(streamId: string, more: Pick<LiveStreamOptions, 'folder' | 'resumed'>): LiveStream {
    const stream = createLiveStream({
      ...more,
      limits,
      log: log.child({ streamId }),
      events: {
        started: () => tell('onPublishStart', streamId, () => hooks.onPublishStart?.(streamId)),
        interrupted: (clean) => tell('onInterrupted', streamId, () => hooks.onInterrupted?.(streamId, clean)),
        reconnected: () => tell('onReconnect', streamId, () => hooks.onReconnect?.(streamId)),
        codecRefused: (codec) =>
          tell('onCodecRefused', streamId, () => hooks.onCodecRefused?.(streamId, codec)),
        vanished: () => void streams.delete(streamId),
        stopped(reason) {
          lingering.set(
            streamId,
            setTimeout(() => void letGo(streamId), limits.lingerMs),
          )
          tell('onPublishStop', streamId, () => hooks.onPublishStop?.(streamId, reason))
        },
      },
    })
    streams.set(streamId, stream)
    return stream
  }

  /** Drops what an ended stream keeps for players that come late. */
  async function letGo(streamId: string): Promise<void> {
    clearTimeout(lingering.get(streamId))
    lingering.delete(streamId)
    streams.delete(streamId)
    thumbnails.forget(streamId)
    await rm(streamFolder(base, streamId).live, { recursive: true, force: true })
  }

  function running(streamId: string): LiveStream | null {
    const stream = streams.get(streamId)
    return stream && ['live', 'interrupted'].includes(stream.status()) ? stream : null
  }

  async function stop(streamId: string): Promise<void> {
    await streams.get(streamId)?.end('stopped')
  }

  return {
    async start() {
      for (const streamId of await listStreams(base)) {
        const folder = streamFolder(base, streamId)
        const resumed = await recoverStream(folder)
        if (resumed) open(streamId, { folder, resumed })
      }
      await rtmp.listen()
    },
    async close() {
      closing = true
      await Promise.all([...streams.values()].map((stream) => stream.suspend()))
      await rtmp.close()
      for (const timer of lingering.values()) clearTimeout(timer)
      await Promise.allSettled(finishing.values())
    },
    rtmpPort: rtmp.port,
    status(streamId) {
      const status = streams.get(streamId)?.status()
      return status === undefined || status === 'new' ? null : status
    },
    runningStreams: () => [...streams.keys()].filter((streamId) => running(streamId) !== null),
    playerCount: (streamId) => streams.get(streamId)?.playerCount() ?? 0,
    stop,
    handleHls: async (streamId, request) => (await streams.get(streamId)?.readHls(request)) ?? null,
    handleFlv(streamId, response, stays) {
      const stream = running(streamId)
      stream?.playFlv(response, stays)
      return stream !== null
    },
    recheck: async (streamId) => streams.get(streamId)?.recheck(),
    thumbnail: async (streamId, maxWidth) => {
      const keyframe = streams.get(streamId)?.keyframe()
      return keyframe ? thumbnails.make(streamId, keyframe, maxWidth) : null
    },
    async endedStreams() {
      const ended: string[] = []
      for (const streamId of await listStreams(base)) {
        const state = await streamFolder(base, streamId).load()
        if (state?.stopTime) ended.push(streamId)
      }
      return ended
    },
    finishRecording(streamId) {
      const running = finishing.get(streamId)
      if (running) return running
      const work = finishRecording(streamId, streamFolder(base, streamId)).finally(() =>
        finishing.delete(streamId),
      )
      finishing.set(streamId, work)
      return work
    },
    async forget(streamId) {
      await stop(streamId)
      await finishing.get(streamId)?.catch(() => undefined)
      await letGo(streamId)
      await streamFolder(base, streamId).remove()
    },
  }
}
