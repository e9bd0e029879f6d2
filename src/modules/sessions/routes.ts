import type { FastifyRequest } from 'fastify'
import { now } from '../../platform/clock.ts'
import { inTransaction } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { Success, iso } from '../../kernel/schema.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { can } from '../../kernel/permissions.ts'
import { isAdmin } from '../../kernel/viewer.ts'
import type { NetworkKeys } from '../network/index.ts'
import { resolveUserId } from '../users/index.ts'
import { createSession, endSessions, refreshSession, type OpenedSession } from './actions.ts'
import { guestSignIn, isSignedVisit, type GuestKind } from './guests.ts'
import {
  AuthTokenBody,
  AuthTokenQuery,
  CreateSessionBody,
  GuestSessionBody,
  RefreshSessionBody,
  RevokeQuery,
  RevokeUserParams,
  RevokeUserQuery,
  SessionCheck,
  SessionExtra,
} from './schema.ts'
import { signAuthToken, verifyAuthToken } from './tokens.ts'
import { Type } from 'typebox'

export interface SessionSettings {
  keys: NetworkKeys
  /** Refuse sign-in without a token by which the app's backend vouches for the user. */
  secureMode: boolean
  /** See `SessionPolicy`. */
  trustsClients: boolean
}

interface Entry {
  body: GuestSessionBody
  raw: FastifyRequest
}

const sessionShape = shape('users', 'files')

export function sessionRoutes(routes: Routes, { keys, secureMode, trustsClients }: SessionSettings): void {
  const { read, write, open } = routes
  const signer = keys.tokens
  const startedAt = now()

  const requireApiKey = (request: FastifyRequest) => {
    if (!keys.apiKeys.has(header(request, 'x-api-key'))) fail('badApiKey')
  }
  const requireServerKey = (request: FastifyRequest) => {
    if (!keys.serverKeys.has(header(request, 'x-server-key'))) fail('badServerKey')
  }
  const answer = ({ user, accessToken, refreshToken, issuedAt, expiresAt }: OpenedSession) => ({
    roots: { users: [user.id] },
    extra: {
      accessToken,
      refreshToken,
      issuedAt: iso(issuedAt),
      expiresAt: iso(expiresAt),
      userType: user.kind,
      lastCachePurge: iso(startedAt),
    },
  })

  for (const version of ['v3', 'v4', 'v5']) {
    open(
      'POST',
      `/api/${version}/sessions`,
      {
        summary: 'Sign in',
        tag: 'Session',
        key: 'apiKey',
        body: CreateSessionBody,
        answers: sessionShape,
        extra: SessionExtra,
        deprecated: version === 'v3',
      },
      requireApiKey,
      async (db, { body }) => {
        const { authToken, ...signIn } = body
        if (authToken !== undefined) {
          if ((await verifyAuthToken(signer, authToken)) !== body.userId) fail('badAuthToken')
        } else if (secureMode) fail('badAuthToken')
        return answer(
          await inTransaction(db, (tx) =>
            createSession(tx, { signer, trustsClients }, { ...signIn, vouched: authToken !== undefined }),
          ),
        )
      },
    )
  }

  const openGuest = (kind: GuestKind, summary: string, mayEnter: (request: Entry) => boolean) =>
    open(
      'POST',
      `/api/v5/sessions/${kind}`,
      {
        summary,
        tag: 'Session',
        key: 'apiKey',
        body: GuestSessionBody,
        answers: sessionShape,
        extra: SessionExtra,
      },
      requireApiKey,
      async (db, { body, raw }) => {
        if (!mayEnter({ body, raw })) fail('badAuthToken')
        return answer(
          await inTransaction(db, (tx) =>
            createSession(tx, { signer, trustsClients }, guestSignIn(kind, body)),
          ),
        )
      },
    )
  // A signature that was sent must be right, needed or not: else nobody would notice that it is wrong.
  openGuest(
    'visitor',
    'Sign in as a visitor, who may only read',
    ({ body }) => (!secureMode && body.authSignature === undefined) || isSignedVisit(keys.serverKeys, body),
  )
  openGuest(
    'bot',
    'Sign in as a bot, which may only read',
    ({ raw }) => !secureMode || keys.serverKeys.has(header(raw, 'x-server-key')),
  )

  open(
    'POST',
    '/api/v4/sessions/refresh',
    {
      summary: 'Renew a session',
      tag: 'Session',
      key: 'apiKey',
      body: RefreshSessionBody,
      answers: sessionShape,
      extra: SessionExtra,
    },
    requireApiKey,
    async (db, { body }) =>
      answer(await inTransaction(db, (tx) => refreshSession(tx, signer, body.refreshToken))),
  )

  open(
    'POST',
    '/api/v4/authentication/token',
    {
      summary: 'Make an auth token for a user',
      tag: 'Authentication',
      key: 'serverKey',
      body: AuthTokenBody,
      answers: { schema: Type.String() },
    },
    requireServerKey,
    async (_db, { body, reply }) => text(reply, await signAuthToken(signer, body.userId)),
  )
  open(
    'GET',
    '/api/v3/authentication/token',
    {
      summary: 'Make an auth token for a user',
      tag: 'Authentication',
      key: 'serverKey',
      query: AuthTokenQuery,
      answers: { schema: Type.String() },
      deprecated: true,
    },
    requireServerKey,
    async (_db, { query, reply }) => text(reply, await signAuthToken(signer, query.userId)),
  )

  read(
    'GET',
    '/api/v3/sessions',
    { summary: 'Check the session', tag: 'Session', answers: { schema: SessionCheck } },
    async () => ({ body: { lastCachePurge: iso(startedAt) } }),
  )

  write(
    'DELETE',
    '/api/v4/sessions',
    {
      summary: 'Sign out',
      tag: 'Session',
      query: RevokeQuery,
      answers: { schema: Success },
      openToVisitors: true,
    },
    async (tx, { viewer, query }) => {
      const target =
        query.userId === undefined
          ? viewer.id
          : await resolveUserId(tx, query.userId, query.isPublic === false ? 'internal' : 'public')
      if (target !== viewer.id && !isAdmin(viewer)) fail('permissionDenied')
      await endSessions(tx, query.userId === undefined ? { id: viewer.sessionId } : { userId: target })
      return { body: { success: true } }
    },
  )

  write(
    'DELETE',
    '/api/v4/sessions/users/:userId',
    {
      summary: "End all of a user's sessions",
      tag: 'Session',
      params: RevokeUserParams,
      query: RevokeUserQuery,
      answers: { schema: Success },
    },
    async (tx, { viewer, params, query }) => {
      const target = await resolveUserId(tx, params.userId, query.isPublic === false ? 'internal' : 'public')
      if (target !== viewer.id && !can('BAN_USER', viewer)) fail('permissionDenied')
      await endSessions(tx, { userId: target })
      return { body: { success: true } }
    },
  )
}

function header(request: FastifyRequest, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' ? value : ''
}

function text(reply: { type(mime: string): { send(body: string): unknown } }, body: string): { sent: true } {
  reply.type('text/plain; charset=utf-8').send(body)
  return { sent: true }
}
