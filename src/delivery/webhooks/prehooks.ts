import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Intention, Prehooks } from '../../kernel/prehook.ts'
import type { Endpoint, Endpoints } from './endpoint.ts'
import { describeFailure, type PostWebhook } from './post.ts'

export interface PrehookOptions {
  db: Db
  endpoints: Endpoints
  post: PostWebhook
  log: Log
}

type Verdict = { action: 'allow'; body: object } | { action: 'deny'; message?: string }

const maxAnswerBytes = 262_144
const maxMessageLength = 500

/**
 * Asks every endpoint that names the event, one after the other, each about what the one before it made of it. The
 * first no is final. One that fails to answer in time, or makes of it what the operation would not take, decides by
 * its default action.
 */
export function createPrehooks({ db, endpoints, post, log }: PrehookOptions): Prehooks {
  return {
    async ask(event, intention) {
      let { body } = intention
      for (const endpoint of await endpoints.list(db)) {
        if (!endpoint.events.includes(event)) continue
        const verdict = await askOne(endpoint, event, { ...intention, body })
        if (verdict.action === 'deny') return fail('forbidden', verdict.message ?? 'refused by a pre-hook')
        body = verdict.body
      }
      return body
    },
  }

  async function askOne(endpoint: Endpoint, event: string, intention: Intention): Promise<Verdict> {
    const { viewer, params, body } = intention
    try {
      const answer = await post({
        endpoint,
        id: newId(),
        name: event,
        body: JSON.stringify({
          event,
          data: { ...params, ...body },
          actor: { userId: viewer.userId, userInternalId: viewer.id, roles: viewer.roles },
        }),
        at: now(),
        timeoutMs: endpoint.prehookTimeoutMs,
        maxResponseBytes: maxAnswerBytes,
      })
      if (answer.status < 200 || answer.status >= 300) throw new Error(`status ${answer.status}`)
      return readVerdict(JSON.parse(answer.body.toString('utf8')), intention)
    } catch (error) {
      log.warn({ webhookId: endpoint.id, event, reason: describeFailure(error) }, 'pre-hook failed')
      if (endpoint.defaultAction === 'allow') return { action: 'allow', body }
      return { action: 'deny', message: 'the pre-hook gave no answer' }
    }
  }
}

function readVerdict(answer: unknown, { body, fits }: Intention): Verdict {
  const { action, data, message } = asObject(answer) ?? {}
  if (action === 'deny')
    return { action, ...(typeof message === 'string' && { message: message.slice(0, maxMessageLength) }) }
  if (action !== 'allow') throw new Error('the action is neither allow nor deny')
  if (data === undefined || data === null) return { action, body }
  const changes = asObject(data)
  const rewritten = { ...body, ...changes }
  if (!changes || !fits(rewritten)) throw new Error('the rewritten data does not fit the operation')
  return { action, body: rewritten }
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}
