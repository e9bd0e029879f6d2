import type { ServerResponse } from 'node:http'
import { openEventStream, type EventStream, type EventStreamOptions, type StreamCloseReason } from './sse.ts'
import { spreadOver } from './spread.ts'

interface OpenStream<Session> {
  session: Session
  ownerId: string
  stream: EventStream
}

type SharedOptions = Pick<
  EventStreamOptions,
  'hub' | 'flusher' | 'retryMs' | 'heartbeatMs' | 'maxBufferedBytes'
>

export type EventStreams<Session> = ReturnType<typeof createEventStreams<Session>>

/** All event streams of a server: what is common to them, and how to end them from outside. */
export function createEventStreams<Session>(shared: SharedOptions & { maxStreams?: number }) {
  const { maxStreams = 50_000, retryMs = 2_000, ...common } = shared
  const streams = new Set<OpenStream<Session>>()
  const closed: Partial<Record<StreamCloseReason, number>> = {}
  let opened = 0
  let closing: Promise<void> | undefined

  async function shutDown(drainMs: number): Promise<void> {
    const responses = [...streams].map(({ stream }) => stream.ended)
    await spreadOver([...streams], drainMs, ({ stream }, delayMs) =>
      stream.close('serverShutdown', { retryMs: retryMs + delayMs }),
    )
    await Promise.all(responses)
  }

  return {
    /** Opens a stream, or answers 503 with `Retry-After` and returns undefined when full or closing. */
    open(
      res: ServerResponse,
      session: Session,
      options: Omit<EventStreamOptions, keyof SharedOptions>,
    ): EventStream | undefined {
      if (closing || streams.size >= maxStreams) {
        res.writeHead(503, { 'retry-after': '5', ...options.headers }).end()
        return undefined
      }
      opened++
      const stream = openEventStream(res, {
        ...common,
        retryMs,
        ...options,
        onClosed(reason) {
          streams.delete(entry)
          closed[reason] = (closed[reason] ?? 0) + 1
          options.onClosed?.(reason)
        },
      })
      const entry = { session, ownerId: options.ownerId, stream }
      streams.add(entry)
      return stream
    },

    /** Ends all streams whose session matches. The reason is sent in the `close` event. Returns how many. */
    disconnect(matches: (session: Session) => boolean, reason: string): number {
      const matching = [...streams].filter(({ session }) => matches(session))
      for (const { stream } of matching) stream.close('disconnected', { message: reason })
      return matching.length
    },

    /** Cuts matching subscriptions at once; with an owner, only that owner's. Returns how many. */
    revoke(matches: (session: Session, filter: string) => boolean, ownerId?: string): number {
      let revoked = 0
      for (const { session, stream, ownerId: owner } of streams) {
        if (ownerId !== undefined && owner !== ownerId) continue
        for (const filter of [...stream.subscriber.filters]) {
          if (matches(session, filter) && shared.hub.unsubscribe(stream.subscriber, filter)) revoked++
        }
      }
      return revoked
    },

    /** Refuses new streams and ends the open ones, spread over `drainMs`. Resolves when all are gone. */
    close: ({ drainMs = 0 }: { drainMs?: number } = {}): Promise<void> => (closing ??= shutDown(drainMs)),

    stats: () => ({
      streams: streams.size,
      opened,
      closed: { ...closed },
      bufferedBytes: [...streams].reduce((sum, { stream }) => sum + stream.bufferedBytes(), 0),
    }),
  }
}
