import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** So many requests in a window, for each key. */
export interface RatePolicy {
  /** Names the policy in the `RateLimit` headers. */
  name: string
  limit: number
  windowMs: number
  /** Whose requests are counted together. Default: the client's address, of IPv6 its /64. */
  keyOf?(request: FastifyRequest): string
  /** Requests that count for nobody. */
  isExempt?(request: FastifyRequest): boolean
}

/** Counts a request and says so in the headers. Answers how long to wait in ms when it is one too many, else null. */
export type CountRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<number | null>

/** The headers of a counted answer, for browsers to be let read. */
export const rateLimitHeaders = [
  'ratelimit',
  'ratelimit-policy',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
]

// Keys a policy remembers; past it the longest unseen starts anew. About 10 MB when full.
const remembered = 50_000

/**
 * Counters for policies, in this process alone. A window begins with the first request of a key and is fixed: across
 * the seam of two windows twice the limit may pass. Headers are those of the IETF httpapi draft (`RateLimit`,
 * `RateLimit-Policy`) and of its older form (`RateLimit-Limit`, `-Remaining`, `-Reset`), times in seconds.
 */
export async function createRateCounters(
  http: FastifyInstance,
): Promise<(policy: RatePolicy) => CountRequest> {
  await http.register(rateLimit, { global: false })
  return ({ name, limit, windowMs, keyOf, isExempt }) => {
    const options: RateLimitOptions = {
      max: limit,
      timeWindow: windowMs,
      cache: remembered,
      ...(keyOf && { keyGenerator: keyOf }),
      ...(isExempt && { allowList: isExempt }),
    }
    const count = http.createRateLimit(options)
    const policy = `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`
    return async (request, reply) => {
      const counted = await count(request)
      if (counted.isAllowed) return null
      const { remaining, ttl, ttlInSeconds, isExceeded } = counted
      reply.headers({
        'ratelimit-policy': policy,
        ratelimit: `"${name}";r=${remaining};t=${ttlInSeconds}`,
        'ratelimit-limit': limit,
        'ratelimit-remaining': remaining,
        'ratelimit-reset': ttlInSeconds,
      })
      return isExceeded ? ttl : null
    }
  }
}
