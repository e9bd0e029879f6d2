import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { answerContent } from '../../platform/http/content-response.ts'
import type { MediaEngine } from '../../platform/media/engine.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { Text } from '../../kernel/schema.ts'
import { appName } from './addresses.ts'
import { carriedQuery, signPlaylist, type Playback } from './playback.ts'
import { carriedBy, type LiveSources } from './source.ts'
import type { ViewerCounter } from './viewer-counter.ts'

export interface PlaybackEngines {
  sources: LiveSources
  engine: MediaEngine
  store: ObjectStore
  playback: Playback
  viewers: ViewerCounter
}

type Query = Record<string, string | undefined>
const params = Type.Object({ streamId: Text(60, 1), name: Type.Optional(Text(100, 1)) })

/** What players read: no operations of the interface, but what its addresses lead to. */
export function playbackRoutes({ http }: Routes, engines: PlaybackEngines): void {
  const { sources, engine, store, playback, viewers } = engines

  async function open(request: FastifyRequest, streamId: string): Promise<void> {
    const verdict = await playback.judge(streamId, request.query as Query)
    if (verdict === 'missing') fail('notFound', 'stream')
    if (verdict === 'refused') fail('forbidden', 'the address is not signed for you, or has expired')
  }

  async function findRecording(name: string, file: string) {
    const { source, id } = carriedBy(sources, name)
    return (await source.findRecording(id, file)) ?? fail('notFound', 'recording')
  }

  const get = (path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    http.get(`/${appName}/${path}`, { schema: { hide: true, params } }, handler)

  get(':streamId', async (request, reply) => {
    const { streamId: file } = request.params as { streamId: string }
    const streamId = /^([\w-]+)\.flv$/.exec(file)?.[1] ?? fail('notFound', 'stream')
    await open(request, streamId)
    if (request.method === 'HEAD') return reply.type('video/x-flv').send()
    // The engine writes the answer itself; what was said of origins and ids goes with it.
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    const stays = async () => (await playback.judge(streamId, request.query as Query)) === 'allowed'
    if (!engine.handleFlv(streamId, reply.raw, stays)) return fail('notFound', 'the stream is not live')
    return reply.hijack()
  })

  get(':streamId/thumbnail.jpg', async (request, reply) => {
    const { streamId } = request.params as { streamId: string }
    await open(request, streamId)
    const picture = (await engine.thumbnail(streamId)) ?? fail('notFound', 'there is no picture')
    return reply.type('image/jpeg').header('cache-control', 'max-age=5').send(picture)
  })

  get(':streamId/recordings/:name', async (request, reply) => {
    const { streamId, name } = request.params as { streamId: string; name: string }
    await open(request, streamId)
    const { objectKey, contentType, kind, createdAt } = await findRecording(streamId, name)
    const query = carriedQuery(request.query as Query)
    reply.type(contentType).header('x-content-type-options', 'nosniff')
    if (kind === 'm3u8' && query !== '') {
      const opened = (await store.get(objectKey)) ?? fail('notFound', 'recording')
      const text = Buffer.concat(await opened.stream.toArray()).toString()
      return reply.header('cache-control', 'private, no-store').send(signPlaylist(text, query))
    }
    const stat = (await store.stat(objectKey)) ?? fail('notFound', 'recording')
    const { status, headers, body } = answerContent(request, {
      size: stat.size,
      modifiedAt: createdAt,
      etag: `"${streamId}-${name}"`,
    })
    const cache = query === '' ? 'public, max-age=3600' : 'private, max-age=3600'
    reply.status(status).headers({ 'cache-control': cache, ...headers })
    if (body === 'none') return reply.send()
    const found = await store.get(objectKey, body === 'whole' ? undefined : body)
    return reply.send(found?.stream ?? Readable.from([]))
  })

  get(':streamId/:name', async (request, reply) => {
    const { streamId, name } = request.params as { streamId: string; name: string }
    const query = request.query as Query
    await open(request, streamId)
    const isPlaylist = name === 'index.m3u8'
    const carryQuery = carriedQuery(query)
    const answer = await engine.handleHls(streamId, { path: name, query, ...(carryQuery && { carryQuery }) })
    if (!answer) return fail('notFound', 'the stream is not live')
    // Players wait for the next part: meanwhile they may have been shut out.
    if (isPlaylist) {
      await open(request, streamId)
      viewers.seen(streamId, playerOf(request))
    }
    reply.type(answer.contentType).header('cache-control', answer.cacheControl)
    return reply.send(answer.stream ?? answer.body)
  })
}

// Browsers of one household differ in what they are; a signed address names the viewer.
function playerOf(request: FastifyRequest): string {
  const { viewer } = request.query as Query
  return viewer ?? `${request.ip} ${request.headers['user-agent'] ?? ''}`
}
