import { importPKCS8, SignJWT } from 'jose'
import { now } from '../clock.ts'
import { keepToken } from './provider-token.ts'
import {
  answerMs,
  messageOf,
  outcomeOf,
  type PushMessage,
  type PushOutcome,
  type PushSender,
} from './sender.ts'

/** A Google service account, as its key file holds it. */
export interface ServiceAccount {
  project_id: string
  client_email: string
  private_key: string
  token_uri: string
}

export interface FcmOptions {
  account: ServiceAccount
  /** `https://fcm.googleapis.com`. */
  url: string
}

// Access tokens are good for an hour.
const tokenMs = 55 * 60_000
const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const dead = ['UNREGISTERED', 'SENDER_ID_MISMATCH']

/** Reads a service account's key file. Throws an `Error` that says what is missing. */
export function readServiceAccount(text: string): ServiceAccount {
  const value = JSON.parse(text) as Partial<ServiceAccount>
  for (const name of ['project_id', 'client_email', 'private_key', 'token_uri'] as const) {
    if (typeof value?.[name] !== 'string') throw new Error(`the service account has no ${name}`)
  }
  return value as ServiceAccount
}

/** Firebase Cloud Messaging, HTTP v1. */
export function createFcmSender({ account, url }: FcmOptions): PushSender {
  const closing = new AbortController()
  const signal = () => AbortSignal.any([closing.signal, AbortSignal.timeout(answerMs)])
  const token = keepToken(fetchToken, tokenMs)

  async function fetchToken(): Promise<string> {
    const issuedAt = Math.floor(now().getTime() / 1000)
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 3600)
      .sign(await importPKCS8(account.private_key, 'RS256'))
    const response = await fetch(account.token_uri, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
      signal: signal(),
    })
    const body = (await response.json()) as { access_token?: unknown }
    if (!response.ok || typeof body.access_token !== 'string') {
      throw new Error(`no access token for FCM: status ${response.status}`)
    }
    return body.access_token
  }

  async function send(deviceToken: string, message: PushMessage): Promise<PushOutcome> {
    try {
      const response = await fetch(`${url}/v1/projects/${account.project_id}/messages:send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await token.get()}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message: payloadOf(deviceToken, message) }),
        signal: signal(),
      })
      const reason = response.ok ? '' : reasonOf(response.status, await response.text())
      if (response.ok) await response.body?.cancel()
      if (dead.includes(reason) || isBadToken(reason)) return { kind: 'gone', reason }
      if (response.status === 401) {
        token.forget()
        return { kind: 'retry', reason }
      }
      // A wrong project answers 404 too, and must not cost the devices.
      if (response.status === 404) return { kind: 'retry', reason }
      return outcomeOf(response.status, reason, response.headers.get('retry-after'))
    } catch (error) {
      return { kind: 'retry', reason: messageOf(error) }
    }
  }

  return { vendor: 'fcm', send, close: async () => closing.abort() }
}

function payloadOf(token: string, { title, body, badge, collapseKey, data, ttlSeconds }: PushMessage) {
  return {
    token,
    notification: { title, body },
    data,
    android: {
      collapse_key: collapseKey,
      priority: 'HIGH',
      ttl: `${ttlSeconds}s`,
      notification: { tag: collapseKey, notification_count: badge },
    },
    apns: {
      headers: { 'apns-collapse-id': collapseKey.slice(0, 64) },
      payload: { aps: { badge, sound: 'default' } },
    },
  }
}

interface FcmError {
  error?: { status?: string; message?: string; details?: { errorCode?: string }[] }
}

function reasonOf(status: number, text: string): string {
  try {
    const { error } = JSON.parse(text) as FcmError
    const code = error?.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode
    if (code === 'INVALID_ARGUMENT') return `${code}: ${error?.message ?? ''}`
    if (code !== undefined) return code
  } catch {
    // Proxies answer in their own words; the status says enough.
  }
  return `status ${status}`
}

// The one way in which FCM says that what it was given is no token at all.
function isBadToken(reason: string): boolean {
  return reason.startsWith('INVALID_ARGUMENT') && reason.includes('registration token')
}
