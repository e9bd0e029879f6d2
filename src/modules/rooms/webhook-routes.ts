import type { Log } from '../../platform/log.ts'
import type { Stage, StageEvent } from '../../platform/stage/stage.ts'
import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { applyStageEvent, type StageContext } from './on-stage.ts'

const contentType = 'application/webhook+json'

/** Where the stage server tells what happens: no operation of the interface. Nothing is believed that it did not sign. */
export function webhookRoutes({ http, db }: Routes, stage: Stage, context: StageContext, log: Log): void {
  http.addContentTypeParser(contentType, { parseAs: 'string' }, (_request, body, done) => done(null, body))
  http.post('/livekit/webhook', { schema: { hide: true } }, async (request, reply) => {
    if (typeof request.body !== 'string') return fail('unsupportedMediaType', `${contentType} is expected`)
    let event: StageEvent | null
    try {
      event = await stage.readWebhook(request.body, request.headers.authorization)
    } catch (error) {
      log.warn({ err: error }, 'a webhook was not signed by the LiveKit server')
      return fail('forbidden', 'the signature does not fit')
    }
    if (event) await applyStageEvent(db, context, event)
    return reply.send({ ok: true })
  })
}
