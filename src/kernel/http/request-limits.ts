import type { FastifyReply, FastifyRequest } from 'fastify'
import { createRateCounters, type RatePolicy } from '../../platform/http/rate-limit.ts'
import type { HttpServer } from '../../platform/http/server.ts'
import { ApiError } from '../errors.ts'
import { isAdmin } from '../viewer.ts'

/** Counts a request; fails with `rateLimited` when it is one too many. */
export type Limit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** How often the interface may be asked (docs/decisions/rate-limits.md). */
export interface RequestLimits {
  /** Operations of a viewer who is signed in, however many devices they use. */
  byViewer: Limit
  /** What comes without a viewer: sign-in, refused tokens, paths that do not exist. */
  byAddress: Limit
}

export interface RequestLimitOptions {
  /** Requests in a window; 0 for any number. */
  viewerLimit: number
  addressLimit: number
  windowMs: number
  /** Whether the app's backend itself asks: it signs in everybody from one address. */
  isBackend(request: FastifyRequest): boolean
}

/** The limits of one server. Those who administer the network are exempt. */
export async function createRequestLimits(
  http: HttpServer,
  { viewerLimit, addressLimit, windowMs, isBackend }: RequestLimitOptions,
): Promise<RequestLimits> {
  const counters = await createRateCounters(http)
  const limit = (policy: RatePolicy): Limit => {
    if (policy.limit === 0) return async () => undefined
    const count = counters(policy)
    return async (request, reply) => {
      const wait = await count(request, reply)
      if (wait !== null) throw new ApiError('rateLimited', [], wait)
    }
  }
  return {
    byViewer: limit({
      name: 'user',
      limit: viewerLimit,
      windowMs,
      keyOf: ({ viewer }) => viewer!.id,
      isExempt: ({ viewer }) => isAdmin(viewer!),
    }),
    byAddress: limit({ name: 'address', limit: addressLimit, windowMs, isExempt: isBackend }),
  }
}
