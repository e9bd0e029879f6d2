import { now } from '../../platform/clock.ts'
import { isOutboundError } from '../../platform/outbound/outbound-errors.ts'
import { elapsed } from '../../platform/clock.ts'
import type { Endpoint } from './endpoint.ts'
import { describeFailure, type PostWebhook } from './post.ts'
import { nextPause, readRetryAfter } from './schedule.ts'
import type { Attempt, Claimed, Finished } from './store.ts'

/** How an attempt ended. `aborted`: the server stops, it shall not count. */
export interface Outcome {
  result: 'delivered' | 'failed' | 'gone' | 'aborted'
  retryAfterMs: number | null
  attempt: Attempt
}

const excerptBytes = 1000

/** Sends a delivery once. Only 2xx is success; 410 says that the endpoint is no more. */
export async function attemptDelivery(
  post: PostWebhook,
  endpoint: Endpoint,
  { messageId: id, name, body }: Claimed,
  timeoutMs: number,
): Promise<Outcome> {
  const at = now()
  const start = elapsed()
  const attempt = { at: at.toISOString(), status: null, error: null, responseBody: null }
  try {
    const answer = await post({ endpoint, id, name, body, at, timeoutMs, maxResponseBytes: excerptBytes })
    const { status, headers, durationMs } = answer
    const result = status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'gone' : 'failed'
    return {
      result,
      retryAfterMs: result === 'failed' ? readRetryAfter(headers['retry-after'], now()) : null,
      attempt: {
        ...attempt,
        status,
        durationMs: Math.round(durationMs),
        responseBody: excerpt(answer.body),
      },
    }
  } catch (error) {
    const aborted = isOutboundError(error) && error.code === 'aborted'
    return {
      result: aborted ? 'aborted' : 'failed',
      retryAfterMs: null,
      attempt: { ...attempt, error: describeFailure(error), durationMs: Math.round(elapsed() - start) },
    }
  }
}

/** What the delivery becomes by an attempt. */
export function afterAttempt(
  { seq, attempts: before, firstFailedAt }: Claimed,
  { result, retryAfterMs, attempt }: Outcome,
  retrySeconds: readonly number[],
  chance: number,
): Finished {
  const at = now()
  const attempts = before + 1
  const failedFirst = result === 'delivered' ? firstFailedAt : (firstFailedAt ?? at)
  const done = { seq, attempts, dueAt: at, firstFailedAt: failedFirst, finishedAt: at, attempt }
  if (result === 'delivered') return { ...done, state: 'delivered' }
  const pause = result === 'gone' ? null : nextPause({ attempts, retrySeconds, retryAfterMs, chance })
  if (pause === null) return { ...done, state: 'dead' }
  return { ...done, state: 'pending', dueAt: new Date(at.getTime() + pause), finishedAt: null }
}

// The beginning of the answer, as text that PostgreSQL can store.
function excerpt(body: Buffer): string | null {
  if (body.length === 0) return null
  return body.toString('utf8').replaceAll('\0', '').toWellFormed()
}
