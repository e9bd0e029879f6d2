import { Type } from 'typebox'
import type { Slice } from '../../kernel/slice.ts'
import type { NetworkKeys } from './keys.ts'

/** Publishes the public signing keys, so that an app's backend can verify access tokens itself. */
export function networkSlice(keys: NetworkKeys): Slice {
  return {
    name: 'network',
    // Every client follows this at sign-in: which streams go live is for all to know.
    topics: [{ pattern: 'videostreaming', allow: () => true }],
    routes({ http }) {
      http.get(
        '/.well-known/jwks.json',
        {
          schema: {
            summary: 'Public keys of the access tokens',
            tags: ['Session'],
            response: { 200: Type.Object({ keys: Type.Array(Type.Unknown()) }) },
          },
        },
        async (_request, reply) =>
          reply.header('cache-control', 'public, max-age=300').send(keys.tokens.jwks()),
      )
    },
  }
}
