import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static, type TObject, type TSchema } from 'typebox'
import type { HttpServer } from '../../platform/http/server.ts'
import { inTransaction, type Db, type Tx } from '../database.ts'
import type { Assemble, Roots } from '../envelope/assembler.ts'
import type { EnvelopeForm } from '../envelope/form.ts'
import type { Preloaded } from '../envelope/resource.ts'
import { shapeSchema, type Shape, type SlotRegistry } from '../envelope/shape.ts'
import { fail, toApiError } from '../errors.ts'
import { Paging } from '../paging.ts'
import type { Prehooks } from '../prehook.ts'
import { requireSignedIn, type Viewer } from '../viewer.ts'
import type { Authenticate } from './authenticate.ts'
import { namedMembers } from './body-members.ts'
import type { PendingResponses } from './pending-responses.ts'
import type { RequestLimits } from './request-limits.ts'

/** How a request proves who it is: an access token, or one of the network's keys. */
export type Auth = 'bearer' | 'apiKey' | 'serverKey'

/** What an operation takes and answers: validation, types and OpenAPI from one definition. */
export interface OperationSpec<P extends TSchema, Q extends TSchema, B extends TSchema> {
  summary: string
  /** Groups the operation in the reference. */
  tag: string
  params?: P
  query?: Q
  body?: B
  /** The envelope it answers, or a schema of its own. */
  answers: Shape | { schema: TSchema }
  /** Keys beside the envelope's arrays. */
  extra?: Record<string, TSchema>
  /** The answer carries `paging`. */
  paged?: boolean
  /**
   * The interface shows this operation's answer inside `{status, data}` while clients read the keys at the top:
   * answer both in one object.
   */
  wrapped?: boolean
  /** What becomes of the envelope where the interface shows it in another form. */
  form?: EnvelopeForm
  /** Visitors and bots may only read; a write that they may do too says so. */
  openToVisitors?: boolean
  /** The event that pre-hooks are asked about before anything is done. */
  prehook?: string
  deprecated?: boolean
}

/** An operation without a viewer, opened by a key of the network. */
export interface KeyedSpec<P extends TSchema, Q extends TSchema, B extends TSchema> extends OperationSpec<
  P,
  Q,
  B
> {
  key: 'apiKey' | 'serverKey'
}

export interface Request<P extends TSchema, Q extends TSchema, B extends TSchema> {
  viewer: Viewer
  params: Static<P>
  query: Static<Q>
  body: Static<B>
  raw: FastifyRequest
  reply: FastifyReply
}

/** An envelope to assemble: the roots in order, and keys of its own. */
export interface EnvelopeAnswer {
  roots: Roots
  /** The key under which something must be left once what the viewer may not see is gone; else `notFound`. */
  required?: string
  /** Rows the handler has just written or read, so that the answer does not read them again. */
  preloaded?: Preloaded
  paging?: Paging
  extra?: Record<string, unknown>
}

/** What a handler returns: an envelope, a ready body, or nothing when it wrote the reply itself. */
export type Answer = EnvelopeAnswer | { body: unknown; status?: number } | { sent: true }

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'

type Handler<Context, P extends TSchema, Q extends TSchema, B extends TSchema> = (
  context: Context,
  request: Request<P, Q, B>,
) => Promise<Answer>

/** What a slice registers its operations with. */
export interface Routes {
  /** An operation that changes nothing. */
  read<P extends TSchema = TObject, Q extends TSchema = TObject, B extends TSchema = TObject>(
    method: Method,
    path: string,
    spec: OperationSpec<P, Q, B>,
    handler: Handler<Db, P, Q, B>,
  ): void
  /** An operation whose whole handler is one transaction; the answer is assembled after the commit. */
  write<P extends TSchema = TObject, Q extends TSchema = TObject, B extends TSchema = TObject>(
    method: Method,
    path: string,
    spec: OperationSpec<P, Q, B>,
    handler: Handler<Tx, P, Q, B>,
  ): void
  /** A write that shares a transaction with other requests (`platform/group-commit`), so it opens none of its own. */
  grouped<P extends TSchema = TObject, Q extends TSchema = TObject, B extends TSchema = TObject>(
    method: Method,
    path: string,
    spec: OperationSpec<P, Q, B>,
    handler: Handler<Db, P, Q, B>,
  ): void
  /** An operation without a viewer. `guard` checks the key before anything else is looked at. */
  open<P extends TSchema = TObject, Q extends TSchema = TObject, B extends TSchema = TObject>(
    method: Method,
    path: string,
    spec: KeyedSpec<P, Q, B>,
    guard: (request: FastifyRequest) => void,
    handler: Handler<Db, P, Q, B>,
  ): void
  /** The bare server and database, for what is not an operation of the interface. */
  http: HttpServer
  db: Db
}

export interface RouteContext {
  http: HttpServer
  db: Db
  assemble: Assemble
  slots: SlotRegistry
  authenticate: Authenticate
  limits: RequestLimits
  responses: PendingResponses
  /** Asked once a viewer's request is let in: what it takes of their quota. */
  spend(viewer: Viewer, method: string): Promise<void>
  prehooks?: Prehooks
}

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null
  }
  interface FastifyContextConfig {
    auth?: Auth
  }
}

/** The registration object of all slices. Every operation takes a bearer token; there is no way to forget it. */
export function createRoutes(context: RouteContext): Routes {
  const { http, db, assemble, slots, authenticate, limits, responses, spend, prehooks } = context
  http.decorateRequest('viewer', null)
  const signedIn: Guard = async (request, reply) => {
    try {
      request.viewer = await authenticate(request.headers.authorization)
    } catch (error) {
      if (toApiError(error).status < 500) await limits.byAddress(request, reply)
      throw error
    }
    await limits.byViewer(request, reply)
    await spend(request.viewer, request.method)
  }
  const mayWrite: Guard = async (request, reply) => {
    await signedIn(request, reply)
    requireSignedIn(request.viewer!)
  }

  const answer = async (request: FastifyRequest, spec: AnySpec, result: Answer, reply: FastifyReply) => {
    if ('sent' in result) return reply
    if ('body' in result) return reply.status(result.status ?? 200).send(result.body)
    if ('schema' in spec.answers)
      throw new Error(`${request.routeOptions.url} promised a schema but answered an envelope`)
    const { roots, preloaded } = result
    const asking = { db, viewer: request.viewer, ...(preloaded && { preloaded }) }
    const [envelope] = await assemble(asking, spec.answers as Shape, [roots])
    if (result.required !== undefined && envelope?.[result.required]?.length === 0) fail('notFound')
    const formed = spec.form ? spec.form.of(envelope!) : envelope
    const body = { ...formed, ...(result.paging && { paging: result.paging }), ...result.extra }
    return spec.wrapped ? { status: 'success', data: body, ...body } : body
  }

  const register = (method: Method, path: string, spec: AnySpec, auth: Auth, guard: Guard, run: Run) => {
    const known = namedMembers(spec.body)
    http.route({
      method,
      url: path,
      config: { auth },
      onRequest: guard,
      schema: {
        summary: spec.summary,
        tags: [spec.tag],
        security: [{ [auth]: [] }],
        ...(spec.deprecated && { deprecated: true }),
        ...(spec.params && { params: spec.params }),
        ...(spec.query && { querystring: spec.query }),
        ...(spec.body && { body: spec.body }),
        response: { 200: responseSchema(slots, spec) },
      },
      // A request without a body means an empty one.
      preValidation: async (request) => void (request.body ??= {}),
      handler: async (request, reply) => {
        const { params, query } = request as { params: unknown; query: unknown } as Record<
          'params' | 'query',
          never
        >
        // An operation opened by a key has no viewer, and its handler reads none.
        const viewer = request.viewer as Viewer
        const fits = (body: object) => request.validateInput(body, 'body')
        const intended = { viewer, params, body: known(request.body) as object, fits }
        const asked = spec.prehook === undefined ? undefined : await prehooks?.ask(spec.prehook, intended)
        const body = known(asked ?? intended.body) as never
        const result = await run({ viewer, params, query, body, raw: request, reply })
        if (method !== 'GET') responses.add(reply.raw)
        return answer(request, spec, result, reply)
      },
    })
  }

  return {
    http,
    db,
    read: (method, path, spec, handler) =>
      register(method, path, spec as AnySpec, 'bearer', signedIn, (request) => handler(db, request as never)),
    write: (method, path, spec, handler) =>
      register(
        method,
        path,
        spec as AnySpec,
        'bearer',
        spec.openToVisitors ? signedIn : mayWrite,
        (request) => inTransaction(db, (tx) => handler(tx, request as never)),
      ),
    grouped: (method, path, spec, handler) =>
      register(method, path, spec as AnySpec, 'bearer', mayWrite, (request) => handler(db, request as never)),
    open: (method, path, spec, guard, handler) =>
      register(
        method,
        path,
        spec as AnySpec,
        spec.key,
        async (request, reply) => {
          await limits.byAddress(request, reply)
          guard(request)
        },
        (request) => handler(db, request as never),
      ),
  }
}

type AnySpec = OperationSpec<TSchema, TSchema, TSchema>
type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>
type Run = (request: Request<TSchema, TSchema, TSchema>) => Promise<Answer>

function responseSchema(slots: SlotRegistry, spec: AnySpec): TSchema {
  if ('schema' in spec.answers) return spec.answers.schema as TSchema
  const beside = { ...spec.extra, ...(spec.paged && { paging: Paging }) }
  const envelope = shapeSchema(slots, spec.answers as Shape)
  const formed = spec.form ? spec.form.schema(envelope) : envelope
  const body = Type.Object({ ...formed.properties, ...beside })
  if (!spec.wrapped) return body
  return Type.Object({ status: Type.Literal('success'), data: body, ...body.properties })
}
