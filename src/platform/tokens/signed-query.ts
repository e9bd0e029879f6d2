import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs what an address stands for, so that nobody else can make one, and none is good for ever. */
export interface QuerySigner {
  /** A query (without `?`) that opens `subject` to `bearer` until `expires`. */
  sign(subject: string, bearer: string, expires: Date): string
  /** Who a query was made for; null when it is not ours, is for something else, or expired before `at`. */
  verify(subject: string, query: Record<string, string | undefined>, at: Date): string | null
}

/** Signs with HMAC-SHA256. Every node needs the same secret. */
export function createQuerySigner(secret: string): QuerySigner {
  const signature = (subject: string, bearer: string, seconds: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([subject, bearer, seconds]))
      .digest()
  return {
    sign(subject, bearer, expires) {
      const seconds = String(Math.floor(expires.getTime() / 1000))
      const signed = signature(subject, bearer, seconds).toString('base64url')
      return `viewer=${bearer}&expires=${seconds}&signature=${signed}`
    },
    verify(subject, { viewer = '', expires = '', signature: given = '' }, at) {
      const expected = signature(subject, viewer, expires)
      const presented = Buffer.from(given, 'base64url')
      if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return null
      return Number(expires) * 1000 > at.getTime() ? viewer : null
    },
  }
}

/** Whether two secrets are equal, in a time that does not tell how much of them is. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'same').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
