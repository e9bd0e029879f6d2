import { validateHeaderName, validateHeaderValue } from 'node:http'
import { outboundError } from './outbound-errors.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof methods)[number]

/** One request on the way to the answer, before or after a redirect. Header names are in lower case. */
export type Hop = { url: URL; method: Method; headers: Record<string, string>; body?: string | Buffer }

const maxUrlLength = 4096
// What frames the message or names its receiver is not for callers to choose.
const reserved = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'proxy-authorization',
])
const secret = new Set(['authorization', 'cookie'])

/** Parses a URL that may be called; the address behind its name is checked when connecting. Throws `badUrl`. */
export function parseTarget(text: string, base?: URL, ports?: number[]): URL {
  const url = text.length <= maxUrlLength && URL.canParse(text, base?.href) ? new URL(text, base) : null
  if (url === null) throw outboundError('badUrl', 'not an absolute URL of reasonable length')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw outboundError('badUrl', 'only http and https')
  if (url.username !== '' || url.password !== '') throw outboundError('badUrl', 'credentials in a URL')
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (ports !== undefined && !ports.includes(port))
    throw outboundError('badUrl', `port ${port} is not allowed`)
  return url
}

/** The request as asked for. Throws `badUrl`, `badRequest`. */
export function firstHop(
  request: { url: string; method?: Method; headers?: Record<string, string>; body?: string | Buffer },
  ports?: number[],
): Hop {
  const url = parseTarget(request.url, undefined, ports)
  const method = request.method ?? 'GET'
  if (!methods.includes(method)) throw outboundError('badRequest', 'unknown method')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch (error) {
      throw outboundError('badRequest', 'a header is malformed', error)
    }
    if (reserved.has(name.toLowerCase()))
      throw outboundError('badRequest', `the header ${name} may not be set`)
    headers[name.toLowerCase()] = value
  }
  return { url, method, headers, ...(request.body === undefined ? {} : { body: request.body }) }
}

/**
 * The request a redirect asks for (RFC 9110, 15.4), `null` if the answer is none. Secrets stay with their origin,
 * a body is only sent again on 307 and 308. Throws `badUrl`.
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string | string[] | undefined,
  ports?: number[],
): Hop | null {
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string') return null
  const url = parseTarget(location, hop.url, ports)
  const kept = Object.entries(hop.headers).filter(
    ([name]) => url.origin === hop.url.origin || !secret.has(name),
  )
  if (status === 307 || status === 308) return { ...hop, url, headers: Object.fromEntries(kept) }
  const method = hop.method === 'HEAD' ? 'HEAD' : 'GET'
  return { url, method, headers: Object.fromEntries(kept.filter(([name]) => !name.startsWith('content-'))) }
}
