import { createHmac } from 'node:crypto'

/** Secrets begin so; the rest is base64 of the key. */
export const secretPrefix = 'whsec_'

export interface Signed {
  id: string
  at: Date
  body: string
  /** Newest first. */
  secrets: readonly string[]
}

/**
 * The headers that prove where a message comes from: those of Standard Webhooks 1.0 with a signature for each secret,
 * and the vendor's two for receivers written for it (HMAC-SHA256 of the body, keyed with the newest secret as text).
 */
export function signatureHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => `v1,${hmac(keyOf(secret), `${id}.${timestamp}.${body}`)}`)
  const older = hmac(secrets[0] ?? '', body)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
    'x-amity-signature': older,
    'x-eko-signature': older,
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64')
}

function hmac(key: Buffer | string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64')
}
