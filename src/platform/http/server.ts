import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Log } from '../log.ts'
import { newId } from '../ids.ts'
import { refuseWhileClosing } from './closing.ts'
import { rateLimitHeaders } from './rate-limit.ts'
import { parseQuery } from './query-string.ts'
import { parseJson } from './json-body.ts'

export type HttpServer = FastifyInstance

/** What is answered when something was thrown. `retryAfter` in seconds, where coming back helps. */
export interface ErrorReply<Body = unknown> {
  status: number
  body: Body
  retryAfter: number | null
}

export interface HttpServerOptions {
  log: Log
  /** Largest JSON body in bytes. Uploads have their own limit. */
  bodyLimit: number
  /** How many proxies in front are believed about the client's address. */
  trustedProxies: number
  corsOrigin: string[] | true
  toErrorReply(error: unknown, request: FastifyRequest): ErrorReply
}

/** A Fastify server that is liberal in what the published clients send: see the parsers beside this file. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { status, body, retryAfter } = options.toErrorReply(error, request)
    if (retryAfter !== null) reply.header('retry-after', retryAfter)
    return reply.status(status).send(body)
  }
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    requestIdHeader: 'x-request-id',
    bodyLimit: options.bodyLimit,
    trustProxy: options.trustedProxies > 0 && ((_address, hop) => hop < options.trustedProxies),
    return503OnClosing: false,
    routerOptions: { querystringParser: parseQuery, maxParamLength: 2000, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    // What fails before a route is found does not reach the error handler.
    frameworkErrors(error, request, reply) {
      const plain: FastifyReply = reply
      void answerError(error, request, plain.header('x-request-id', request.id))
    },
  })
  useValidators(app)
  useParsers(app)
  closeUnused(app)
  await app.register(cors, {
    origin: options.corsOrigin,
    methods: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'],
    maxAge: 86_400,
    exposedHeaders: [
      'x-request-id',
      'retry-after',
      'content-range',
      'accept-ranges',
      'etag',
      ...rateLimitHeaders,
    ],
  })
  // After the headers of cross-origin requests: browsers are to see why they are refused.
  const isClosing = refuseWhileClosing(app)
  await app.register(multipart)
  app.addHook('onSend', async (request, reply) => void reply.header('x-request-id', request.id))
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request
    const line = {
      reqId: request.id,
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    if (reply.statusCode >= 500 && !isClosing()) request.log.error(line, 'request failed')
    else request.log.debug(line, 'request')
  })
  app.setErrorHandler(answerError)
  return app
}

// Clients open connections ahead of need. Node takes one that never asked anything for a busy one, and would keep the
// server from closing until its headers time out.
function closeUnused(app: HttpServer): void {
  const unused = new Set<Socket>()
  app.server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', (request) => void unused.delete(request.socket))
  app.server.on('upgrade', (request) => void unused.delete(request.socket))
  app.addHook('preClose', async () => unused.forEach((socket) => socket.destroy()))
}

// Query strings and paths are text, so they are converted; bodies are typed, so they are not. One of each for a process:
// a schema is compiled once, however many servers are started in it.
const text = addFormats.default(
  new Ajv({ coerceTypes: 'array', useDefaults: true, allErrors: false, strict: false }),
)
const typed = addFormats.default(
  new Ajv({ coerceTypes: false, useDefaults: true, allErrors: false, strict: false }),
)

function useValidators(app: HttpServer): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    compiledWhenUsed(httpPart === 'body' ? typed : text, schema as object),
  )
  // Objects are built by our own presenters; a second filter at the edge costs a quarter of a read's throughput.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
}

// Compiling the schemas of all operations takes longer than the rest of the start.
function compiledWhenUsed(ajv: Ajv, schema: object): ValidateFunction {
  let compiled: ValidateFunction | undefined
  const validate = (data: unknown) => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled(data)
    validate.errors = compiled.errors
    return isValid
  }
  validate.errors = undefined as ValidateFunction['errors']
  return validate as ValidateFunction
}

function useParsers(app: HttpServer): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    parseJson(body as string, done)
  })
  // Clients send an empty form with every POST that has no body.
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      done(null, parseQuery(body as string))
    },
  )
}
