import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AccessToken, TokenVerifier, type ClaimGrants } from 'livekit-server-sdk'

export const apiKey = 'devkey'
export const apiSecret = 'a-secret-of-more-than-thirty-two-letters'

interface Call {
  /** The operation: `RoomService/CreateRoom`. */
  method: string
  body: Record<string, unknown>
  grants: ClaimGrants
}

/** Stands in for LiveKit's API: notes what it is asked, checks the token, and answers from what the test says. */
export interface LiveKitApi {
  url: string
  calls: Call[]
  /** Methods that answer with this status from now on. */
  broken: Map<string, number>
  /** Who is on stage, by room: identities with a track. */
  onStage: Map<string, string[]>
  close(): Promise<void>
}

export async function startLiveKitApi(): Promise<LiveKitApi> {
  const calls: Call[] = []
  const broken = new Map<string, number>()
  const onStage = new Map<string, string[]>()
  const verifier = new TokenVerifier(apiKey, apiSecret)

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const method = request.url!.replace('/twirp/livekit.', '')
    const grants = await verifier.verify((request.headers.authorization ?? '').replace('Bearer ', ''))
    const text = Buffer.concat(await request.toArray()).toString()
    const body = JSON.parse(text) as Record<string, unknown>
    calls.push({ method, body, grants })
    const status = broken.get(method)
    if (status !== undefined)
      return { status, body: { code: status === 404 ? 'not_found' : 'internal', msg: 'broken' } }
    if (method === 'Egress/StartRoomCompositeEgress') return { status: 200, body: { egress_id: 'EG_1' } }
    if (method !== 'RoomService/ListParticipants') return { status: 200, body: {} }
    const identities = onStage.get(body.room as string) ?? []
    const participants = identities.map((identity) => ({ identity, tracks: [{ sid: 'TR_1' }] }))
    return { status: 200, body: { participants } }
  }

  const server = createServer((request, response) => {
    answer(request)
      .catch((error: Error) => ({ status: 401, body: { code: 'unauthenticated', msg: error.message } }))
      .then(({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      )
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    broken,
    onStage,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Sends a webhook as LiveKit does: the body as it documents them, its digest in a signed token. */
export async function sendWebhook(
  serverUrl: string,
  event: Record<string, unknown>,
  secret = apiSecret,
): Promise<Response> {
  const body = JSON.stringify({ id: 'EV_1', createdAt: '1767225600', ...event })
  const token = new AccessToken(apiKey, secret)
  token.sha256 = createHash('sha256').update(body).digest('base64')
  return fetch(`${serverUrl}/livekit/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/webhook+json', authorization: await token.toJwt() },
    body,
  })
}
