import { fail } from '../errors.ts'
import type { Viewer } from '../viewer.ts'

/** The viewer behind an `authorization` header of a request, or a failure. */
export type Authenticate = (authorization: string | undefined) => Promise<Viewer>

/** The token of an `authorization` header; fails with `unauthorized` without one. */
export function bearerToken(authorization: string | undefined): string {
  const [scheme, token] = authorization?.split(' ') ?? []
  return scheme?.toLowerCase() === 'bearer' && token ? token : fail('unauthorized')
}
