import { createHash } from 'node:crypto'
import webPush from 'web-push'
import { createOutbound, type OutboundOptions } from '../outbound/outbound.ts'
import { isOutboundError } from '../outbound/outbound-errors.ts'
import {
  answerMs,
  messageOf,
  outcomeOf,
  type PushMessage,
  type PushOutcome,
  type PushSender,
} from './sender.ts'

export interface VapidKeys {
  /** Base64url, uncompressed point: what browsers subscribe with. */
  publicKey: string
  privateKey: string
}

export interface WebPushOptions {
  keys: VapidKeys
  /** Whom a push service may turn to: `mailto:` or `https:`. */
  contact: string
  outbound: Omit<OutboundOptions, 'perOrigin' | 'concurrent'>
}

export function generateVapidKeys(): VapidKeys {
  return webPush.generateVAPIDKeys()
}

// Most browsers use one of three services, so each may take a good part of what is sent at once.
const limits = { perOrigin: 32, concurrent: 64 }

/** The push services of browsers. Endpoints are chosen by clients, so none of them may lead inside. */
export function createWebPushSender({ keys, contact, outbound }: WebPushOptions): PushSender {
  const http = createOutbound({ ...outbound, ...limits })

  async function send(token: string, message: PushMessage): Promise<PushOutcome> {
    let details: webPush.RequestDetails
    try {
      const payload = JSON.stringify(payloadOf(message))
      details = webPush.generateRequestDetails(JSON.parse(token) as webPush.PushSubscription, payload, {
        vapidDetails: { subject: contact, ...keys },
        TTL: message.ttlSeconds,
        urgency: 'high',
        topic: topicOf(message.collapseKey),
        contentEncoding: webPush.supportedContentEncodings.AES_128_GCM,
      })
    } catch (error) {
      // Nothing but the subscription can be wrong: its key is not on the curve.
      return { kind: 'gone', reason: messageOf(error) }
    }
    try {
      const { status, headers } = await http.request({
        url: details.endpoint,
        method: 'POST',
        headers: withoutLength(details.headers),
        body: details.body!,
        timeoutMs: answerMs,
        maxResponseBytes: 10_000,
        truncate: true,
      })
      return outcomeOf(status, `status ${status}`, headers['retry-after'] as string | undefined)
    } catch (error) {
      const kind = isOutboundError(error) && error.code === 'forbiddenAddress' ? 'gone' : 'retry'
      return { kind, reason: messageOf(error) }
    }
  }

  return { vendor: 'web', send, close: () => http.close(0) }
}

/** What the app's service worker reads. */
function payloadOf({ title, body, badge, collapseKey, data }: PushMessage): unknown {
  return { title, body, badge, tag: collapseKey, data }
}

// At most 32 characters of base64url.
function topicOf(collapseKey: string): string {
  return createHash('sha256').update(collapseKey).digest('base64url').slice(0, 32)
}

// The client sends the length itself.
function withoutLength(headers: webPush.Headers): Record<string, string> {
  const { 'Content-Length': _, ...others } = headers as Record<string, string | number>
  return Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]))
}
