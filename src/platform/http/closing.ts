import type { FastifyInstance } from 'fastify'

/** Came while the server drains. */
export class ServerClosingError extends Error {}

/**
 * Refuses what comes over open connections while the server drains; what runs already is finished. Fastify's own
 * refusal has neither our envelope nor `Retry-After`. Answers whether the server is draining.
 */
export function refuseWhileClosing(app: FastifyInstance): () => boolean {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', async () => {
    if (isClosing) throw new ServerClosingError('the server is stopping')
  })
  return () => isClosing
}
