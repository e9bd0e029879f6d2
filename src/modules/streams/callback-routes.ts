import { Type } from 'typebox'
import { readSignal, type MediaSignal } from '../../platform/media/external/signal.ts'
import { isSameSecret } from '../../platform/tokens/signed-query.ts'
import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { Text } from '../../kernel/schema.ts'
import type { Playback } from './playback.ts'

/** How a media server beside this one takes part. */
export interface CallbackOptions {
  /** What that server must present; without one nobody may call. */
  secret: string
  /** Answers null when all is well, or why a publisher or player must be refused. */
  report(signal: MediaSignal): Promise<string | null>
  playback: Playback
}

const Query = Type.Object({ secret: Type.Optional(Text(200)) })

/** What nginx-rtmp, SRS and MediaMTX call when somebody publishes, plays or leaves: no operations for clients. */
export function callbackRoutes({ http }: Routes, { secret, report, playback }: CallbackOptions): void {
  http.post('/media/callbacks', { schema: { hide: true, querystring: Query } }, async (request, reply) => {
    const { secret: inQuery } = request.query as { secret?: string }
    const presented = request.headers['x-hubbub-media-secret']?.toString() ?? inQuery ?? ''
    if (!isSameSecret(presented, secret)) fail('forbidden', 'the media secret is wrong')
    const signal = readSignal(request.body)
    const refusal = await report(signal)
    // SRS reads the code in the body, the others the status.
    if (refusal === null || signal.act === 'other') return { code: 0 }
    request.log.info({ streamId: signal.streamName, act: signal.act, refusal }, 'a media server was told no')
    return reply.status(403).send({ code: 1, message: refusal })
  })
  // For `auth_request` of a proxy in front of another server's playlists.
  http.get(
    '/media/callbacks/watch/:streamId',
    { schema: { hide: true, params: Type.Object({ streamId: Text(60, 1) }) } },
    async (request, reply) => {
      const { streamId } = request.params as { streamId: string }
      const verdict = await playback.judge(streamId, request.query as Record<string, string | undefined>)
      return reply.status(verdict === 'allowed' ? 204 : 403).send()
    },
  )
}
