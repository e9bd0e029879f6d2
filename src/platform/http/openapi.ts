import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { HttpServer } from './server.ts'

export interface OpenapiInfo {
  title: string
  version: string
  description: string
  /** Header names of the ways to prove who asks, by the names operations use. */
  security: Record<string, object>
}

/** Serves `/openapi.json` and the browsable `/docs`, both made from the schemas that validate. Call before routes. */
export async function serveOpenapi(
  app: HttpServer,
  { title, version, description, security }: OpenapiInfo,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      components: { securitySchemes: security as never },
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { persistAuthorization: true, docExpansion: 'none' },
  })
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
}
