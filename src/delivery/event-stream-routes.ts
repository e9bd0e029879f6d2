import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../kernel/database.ts'
import type { Assemble } from '../kernel/envelope/assembler.ts'
import { fail } from '../kernel/errors.ts'
import { findEventsAfter, findWindow } from '../kernel/outbox/store.ts'
import type { EventDefinition } from '../kernel/outbox/event.ts'
import { networkId, parseMembersAudience, paths } from '../kernel/paths.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { HttpServer } from '../platform/http/server.ts'
import type { Subscriber } from '../platform/realtime/hub.ts'
import { createFrame, type Frame } from '../platform/realtime/frame.ts'
import { filterMatches, isTopicFilter } from '../platform/realtime/topics.ts'
import { frameOf, type Realtime, type RealtimeOptions } from './realtime.ts'
import { presentRealtime } from './realtime-sink.ts'

export interface EventStreamRoutes extends Pick<RealtimeOptions, 'signIn' | 'mayListen'> {
  db: Db
  realtime: Realtime
  assemble: Assemble
  definitions: ReadonlyMap<string, EventDefinition>
}

const Query = Type.Object({
  topics: Type.Optional(Type.Array(Type.String({ maxLength: 500 }), { maxItems: 100 })),
  events: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
  lastEventId: Type.Optional(Type.String({ maxLength: 30 })),
  access_token: Type.Optional(Type.String({ maxLength: 4096 })),
})
interface Asked {
  topics?: string[]
  events?: string[]
  lastEventId?: string
  access_token?: string
}

const pageSize = 200
/** Sent first when events were missed that are no longer kept: fetch anew. */
const gapEvent = 'gap'

/**
 * `GET /realtime/{event}` for one event and `GET /realtime` for a mix: server-sent events in the realtime envelope.
 * Without `topics[]`, what the clients subscribe to at sign-in. A stream resumes after `Last-Event-ID` (or
 * `lastEventId`) from the outbox; when that reaches back further than events are kept, it says `gap` first.
 * The token comes as a bearer header, or as `access_token` from browsers, whose EventSource sends no headers.
 */
export function serveEventStreams(http: HttpServer, options: EventStreamRoutes): void {
  const { realtime, definitions, signIn, mayListen } = options
  const names = new Map(
    [...definitions.values()].flatMap(({ alias, realtime: form }) =>
      form ? [form.name, alias ?? form.name].map((name) => [name, form.name] as const) : [],
    ),
  )
  const schema = (summary: string) => ({
    summary,
    tags: ['Realtime'],
    security: [{ bearer: [] }],
    querystring: Query,
  })

  const open = async (request: FastifyRequest, events: string[] | undefined, raw: RawReply) => {
    const asked = request.query as Asked
    const wanted = events?.map((name) => names.get(name) ?? fail('notFound', `event ${name}`))
    const token = request.headers.authorization?.replace(/^bearer /i, '') ?? asked.access_token ?? ''
    const { viewer, expiresAt } = await signIn(token)
    const filters = asked.topics ?? signInTopics(viewer)
    for (const filter of filters) {
      if (!isTopicFilter(filter, 32) || !(await mayListen(viewer, filter)))
        fail('forbidden', `topic ${filter}`)
    }
    const since = readPosition(request.headers['last-event-id'] ?? asked.lastEventId)
    raw.hijack()
    const listener = { viewer, token }
    const stream = realtime.streams.open(raw.raw, listener, {
      ownerId: viewer.id,
      filters,
      events: wanted && new Set([...wanted, gapEvent]),
      resume: true,
      expiresAt,
      headers: { 'access-control-allow-origin': request.headers.origin ?? '*' },
    })
    if (!stream) return
    void stream.ended.then(() => realtime.dismiss(stream.subscriber))
    await realtime.introduce(listener, stream.subscriber)
    await stream.replay(
      since === null ? [] : missed(options, stream.subscriber, viewer, since),
      since?.toString(),
    )
  }

  http.get('/realtime/:event', { schema: schema('Follow one event') }, async (request, reply) => {
    await open(request, [(request.params as { event: string }).event], reply)
    return reply
  })
  http.get('/realtime', { schema: schema('Follow events') }, async (request, reply) => {
    await open(request, (request.query as Asked).events, reply)
    return reply
  })
}

type RawReply = Pick<FastifyReply, 'hijack' | 'raw'>

function signInTopics(viewer: Viewer): string[] {
  return [
    networkId,
    paths.smartFeed(viewer.id, 'channels'),
    paths.smartFeed(viewer.id, 'messagefeeds'),
    paths.smartFeed(viewer.id, 'messages'),
    paths.user(viewer.id),
    paths.userMarker(viewer.id),
    paths.videoStreaming,
  ]
}

function readPosition(value: string | string[] | undefined): number | null {
  if (value === undefined || value === '') return null
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : fail('badRequest', 'Last-Event-ID')
}

/** What a listener missed since a position, read from the outbox until it has caught up. */
async function* missed(
  { db, assemble, definitions }: EventStreamRoutes,
  subscriber: Subscriber,
  viewer: Viewer,
  since: number,
): AsyncGenerator<Frame> {
  const { first, last } = await findWindow(db)
  if (since + 1 < first || since > last) {
    const json = JSON.stringify({ since: String(since), oldest: String(first), newest: String(last) })
    yield createFrame({ id: `gap-${since}`, event: gapEvent, json })
  }
  const heard = (audience: string) => {
    const members = parseMembersAudience(audience)
    if (!members) return [...subscriber.filters].some((filter) => filterMatches(filter, audience))
    const topic = paths.smartFeed(viewer.id, members.kind)
    return (
      subscriber.groups.has(members.channelId) &&
      [...subscriber.filters].some((filter) => filterMatches(filter, topic))
    )
  }
  for (let position = since; ;) {
    const events = await findEventsAfter(db, position, pageSize)
    const wanted = events.flatMap((event) => {
      const definition = definitions.get(event.name)
      return definition?.realtime && event.audiences.some(heard) ? [{ ...event, definition }] : []
    })
    for (const message of await presentRealtime(assemble, db, wanted)) yield frameOf(message)
    if (events.length < pageSize) return
    position = events.at(-1)!.position
  }
}
