import { isOutboundError } from '../../platform/outbound/outbound-errors.ts'
import type { Outbound, OutboundResponse } from '../../platform/outbound/outbound.ts'
import type { Endpoint } from './endpoint.ts'
import { signatureHeaders } from './signature.ts'

/** What is posted to an endpoint. */
export interface Post {
  endpoint: Endpoint
  /** `webhook-id`. */
  id: string
  /** The event, whose path is appended to the URL of the endpoint. */
  name: string
  body: string
  at: Date
  timeoutMs: number
  maxResponseBytes: number
}

/** Signs the bearer token of an endpoint: a JSON Web Token that the receiver can check with our public keys. */
export type SignBearer = (endpoint: Endpoint, at: Date) => Promise<string>

/** Posts to an endpoint. Any status is an answer; throws an `OutboundError` when there is none. */
export type PostWebhook = (post: Post, signal?: AbortSignal) => Promise<OutboundResponse>

export function createPoster(outbound: Outbound, bearer: SignBearer): PostWebhook {
  return async ({ endpoint, id, name, body, at, timeoutMs, maxResponseBytes }) =>
    outbound.request({
      url: endpoint.appendsPath ? urlOf(endpoint.url, name) : endpoint.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await bearer(endpoint, at)}`,
        ...signatureHeaders({ id, at, body, secrets: endpoint.secrets }),
      },
      body,
      timeoutMs,
      maxResponseBytes,
      truncate: true,
    })
}

/** The URL for one event: its path behind that of the endpoint, whose query stays. */
function urlOf(endpointUrl: string, name: string): string {
  const url = new URL(endpointUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/webhook/${name}`
  return url.href
}

/** Why there was no answer, for the log of the delivery. */
export function describeFailure(error: unknown): string {
  if (isOutboundError(error)) return `${error.code}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

const bearerSeconds = 600
// Time left enough for a slow request and clocks that differ.
const renewSeconds = 300

/** Bearer tokens of endpoints, made anew every few minutes. `sign` makes a token of claims. */
export function createBearer(
  sign: (claims: { sub: string; iat: number; exp: number }) => Promise<string>,
): SignBearer {
  const tokens = new Map<string, { token: Promise<string>; until: number }>()
  return async ({ id }, at) => {
    const seconds = Math.floor(at.getTime() / 1000)
    const held = tokens.get(id)
    if (held && held.until > seconds && held.until <= seconds + renewSeconds) return held.token
    const token = sign({ sub: id, iat: seconds, exp: seconds + bearerSeconds })
    token.catch(() => tokens.delete(id))
    tokens.set(id, { token, until: seconds + renewSeconds })
    return token
  }
}
