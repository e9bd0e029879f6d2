import { Agent } from 'undici'
import { elapsed } from '../clock.ts'
import { createLimiter } from '../limiter.ts'
import type { Limiter } from '../limiter.ts'
import { createCheckedLookup } from './checked-lookup.ts'
import type { LookupRules } from './checked-lookup.ts'
import { createConnector } from './connector.ts'
import { firstHop, nextHop } from './hops.ts'
import type { Hop, Method } from './hops.ts'
import { outboundError, toOutboundError } from './outbound-errors.ts'
import { acceptedEncodings, readBody } from './read-body.ts'
import type { BodyLimit } from './read-body.ts'

export type OutboundOptions = LookupRules & {
  userAgent: string
  /** Ports that may be called; any if absent. */
  ports?: number[]
  /** Exchanges at once in all, and to one origin so that a slow one cannot hold up the others. */
  concurrent?: number
  perOrigin?: number
  /** PEM certificates to trust instead of the well-known ones. */
  ca?: string
}

export type OutboundRequest = {
  url: string
  method?: Method
  headers?: Record<string, string>
  body?: string | Buffer
  /** For everything: waiting for a free place, look-up, connection, redirects, the last byte of the body. */
  timeoutMs: number
  /** Of the decoded body. */
  maxResponseBytes: number
  /** Cut the body at the limit instead of failing. */
  truncate?: boolean
  /** How many redirects to follow, 0 by default; the one after that is itself the answer. */
  followRedirects?: 0 | 1 | 2 | 3
  signal?: AbortSignal
}

export type OutboundResponse = {
  status: number
  /** By lower-case name; several of one name are an array. */
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  truncated: boolean
  /** Where the answer came from, after redirects. */
  url: string
  durationMs: number
}

/** An HTTP client for addresses that other people choose. */
export type Outbound = {
  /** Any status is an answer; only an exchange that did not happen throws, an `OutboundError`. */
  request(request: OutboundRequest): Promise<OutboundResponse>
  /** Refuses new requests, waits up to `graceMs` for those under way, then cuts them. */
  close(graceMs?: number): Promise<void>
}

const maxQueued = 2000

type Answer = Omit<OutboundResponse, 'durationMs'>

/** Opens a client. It must be closed. */
export function createOutbound(options: OutboundOptions): Outbound {
  const perOrigin = options.perOrigin ?? 8
  const places = createLimiter({ concurrent: options.concurrent ?? 64, queue: maxQueued })
  const origins = new Map<string, { limiter: Limiter; users: number }>()
  const connector = createConnector(createCheckedLookup(options), options.ca)
  const agent = new Agent({
    connect: connector.connect,
    connections: perOrigin,
    pipelining: 1,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 10_000,
    maxHeaderSize: 16 * 1024,
    // The whole exchange has one time limit of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

  async function inTurn<T>(origin: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const entry = origins.get(origin) ?? {
      limiter: createLimiter({ concurrent: perOrigin, queue: maxQueued }),
      users: 0,
    }
    origins.set(origin, entry)
    entry.users += 1
    try {
      return await entry.limiter.run(() => places.run(task, signal), signal)
    } finally {
      entry.users -= 1
      if (entry.users === 0) origins.delete(origin)
    }
  }

  async function exchange(hop: Hop, limit: BodyLimit, signal: AbortSignal): Promise<Answer> {
    const response = await agent.request({
      origin: hop.url.origin,
      path: hop.url.pathname + hop.url.search,
      method: hop.method,
      headers: { 'user-agent': options.userAgent, 'accept-encoding': acceptedEncodings, ...hop.headers },
      body: hop.body ?? null,
      signal,
    })
    const encoding = String(response.headers['content-encoding'] ?? '')
    // Nobody needs the page that comes with a redirect.
    const redirect = response.statusCode >= 300 && response.statusCode < 400
    const read = await readBody(response.body, encoding, { ...limit, truncate: limit.truncate || redirect })
    return { status: response.statusCode, headers: response.headers, ...read, url: hop.url.href }
  }

  async function follow(request: OutboundRequest, signal: AbortSignal): Promise<Answer> {
    const limit = { maxBytes: request.maxResponseBytes, truncate: request.truncate === true }
    let hop = firstHop(request, options.ports)
    for (let left = request.followRedirects ?? 0; ; left -= 1) {
      const current = hop
      const answer = await inTurn(hop.url.origin, signal, () => exchange(current, limit, signal))
      const next = left > 0 ? nextHop(hop, answer.status, answer.headers['location'], options.ports) : null
      if (next === null) return answer
      hop = next
    }
  }

  async function run(request: OutboundRequest, control: AbortController): Promise<OutboundResponse> {
    const start = elapsed()
    const { signal } = control
    const abort = () => control.abort(outboundError('aborted', 'the request was aborted'))
    const timer = setTimeout(() => {
      control.abort(outboundError('timeout', `no answer within ${request.timeoutMs} ms`))
    }, request.timeoutMs)
    request.signal?.addEventListener('abort', abort, { once: true })
    if (request.signal?.aborted === true) abort()
    try {
      // A connection that is still being made does not heed the signal; nothing is sent on it afterwards.
      const answer = await Promise.race([follow(request, signal), rejection(signal)])
      return { ...answer, durationMs: elapsed() - start }
    } catch (error) {
      throw toOutboundError(signal.aborted ? signal.reason : error)
    } finally {
      clearTimeout(timer)
      request.signal?.removeEventListener('abort', abort)
    }
  }

  const active = new Map<AbortController, Promise<unknown>>()
  let closing: Promise<void> | null = null

  async function shutDown(graceMs: number): Promise<void> {
    const cut = setTimeout(() => {
      for (const control of active.keys()) control.abort(outboundError('aborted', 'the client was closed'))
    }, graceMs)
    await Promise.allSettled(active.values())
    clearTimeout(cut)
    connector.abandon()
    await agent.destroy()
  }

  return {
    async request(request) {
      if (closing !== null) throw outboundError('aborted', 'the client is closed')
      const control = new AbortController()
      const answer = run(request, control)
      active.set(control, answer)
      try {
        return await answer
      } finally {
        active.delete(control)
      }
    },

    close(graceMs = 5000) {
      closing ??= shutDown(graceMs)
      return closing
    },
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}
