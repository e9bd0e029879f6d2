import { constants, connect, type ClientHttp2Session } from 'node:http2'
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

export interface ApnsOptions {
  /** The `.p8` key as PEM text. */
  key: string
  keyId: string
  teamId: string
  /** The app's bundle id. */
  topic: string
  /** `https://api.push.apple.com`, or its sandbox. */
  url: string
}

// Apple wants a token no younger than 20 minutes and no older than 60.
const tokenMs = 50 * 60_000
const dead = ['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken']

/** Apple's push service, over one HTTP/2 connection that is made anew when it breaks. */
export function createApnsSender(options: ApnsOptions): PushSender {
  const key = importPKCS8(options.key, 'ES256')
  key.catch(() => undefined)
  const token = keepToken(
    async () =>
      new SignJWT({ iss: options.teamId, iat: Math.floor(now().getTime() / 1000) })
        .setProtectedHeader({ alg: 'ES256', kid: options.keyId })
        .sign(await key),
    tokenMs,
  )
  let session: ClientHttp2Session | null = null
  const open = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session
    const next = connect(options.url)
    const drop = () => {
      if (session === next) session = null
    }
    // Streams report what breaks them; the session itself needs only to be left.
    next.on('error', drop).on('goaway', drop).on('close', drop)
    next.unref()
    return (session = next)
  }

  async function send(deviceToken: string, message: PushMessage): Promise<PushOutcome> {
    let answer: Answer
    try {
      answer = await exchange(open(), deviceToken, await token.get(), message)
    } catch (error) {
      return { kind: 'retry', reason: messageOf(error) }
    }
    const reason = reasonOf(answer)
    if (dead.includes(reason)) return { kind: 'gone', reason }
    if (answer.status === 403) {
      token.forget()
      return { kind: 'retry', reason }
    }
    return outcomeOf(answer.status, reason, answer.retryAfter)
  }

  function exchange(
    connection: ClientHttp2Session,
    deviceToken: string,
    bearer: string,
    message: PushMessage,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = connection.request({
        ':method': 'POST',
        ':path': `/3/device/${encodeURIComponent(deviceToken)}`,
        authorization: `bearer ${bearer}`,
        'apns-topic': options.topic,
        'apns-push-type': 'alert',
        'apns-priority': '10',
        'apns-collapse-id': message.collapseKey.slice(0, 64),
        'apns-expiration': String(Math.floor(now().getTime() / 1000) + message.ttlSeconds),
        'content-type': 'application/json',
      })
      const answer: Answer = { status: 0, retryAfter: undefined, body: '' }
      stream.setTimeout(answerMs, () => stream.close(constants.NGHTTP2_CANCEL))
      stream.setEncoding('utf8')
      stream.on('response', (headers) => {
        answer.status = Number(headers[':status'])
        answer.retryAfter = headers['retry-after'] as string | undefined
      })
      stream.on('data', (chunk: string) => (answer.body += chunk.slice(0, 10_000 - answer.body.length)))
      stream.on('error', reject)
      stream.on('close', () =>
        answer.status > 0 ? resolve(answer) : reject(new Error('no answer from APNs')),
      )
      stream.end(JSON.stringify(payloadOf(message)))
    })
  }

  return {
    vendor: 'apns',
    send,
    async close() {
      const open = session
      session = null
      open?.destroy()
    },
  }
}

interface Answer {
  status: number
  retryAfter: string | undefined
  body: string
}

function payloadOf({ title, body, badge, collapseKey, data }: PushMessage): unknown {
  return {
    aps: { alert: { title, body }, badge, sound: 'default', 'thread-id': collapseKey },
    ...data,
  }
}

function reasonOf({ status, body }: Answer): string {
  try {
    const { reason } = JSON.parse(body) as { reason?: unknown }
    if (typeof reason === 'string') return reason
  } catch {
    // Proxies answer in their own words; the status says enough.
  }
  return `status ${status}`
}
