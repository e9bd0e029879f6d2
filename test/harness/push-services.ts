import {
  createDecipheriv,
  createECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  type ECDH,
} from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server, type IncomingHttpHeaders } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'

/** One push as the vendor got it. */
export interface TakenPush<Body> {
  path: string
  headers: IncomingHttpHeaders
  body: Body
}

interface Reply {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** A vendor on this machine: takes pushes, and answers each as it is told to. */
export interface VendorStandIn<Body> {
  url: string
  taken: TakenPush<Body>[]
  /** How the next pushes are answered, by default all well; a promise makes them wait. */
  answer: (push: TakenPush<Body>) => Reply | Promise<Reply>
  close(): Promise<void>
}

type Handler = (request: IncomingMessage, body: Buffer) => Reply | Promise<Reply>

async function listen(
  server: Server,
  scheme: string,
  port = 0,
): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function serve(handle: Handler) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      void Promise.resolve(handle(request, Buffer.concat(chunks))).then(({ status, body, headers }) => {
        if (response.destroyed) return
        response.writeHead(status, headers)
        response.end(body === undefined ? undefined : JSON.stringify(body))
      })
    })
  }
}

export interface ApnsBody {
  aps: { alert: { title: string; body: string }; badge: number }
  [key: string]: unknown
}

/** Apple's service: HTTP/2, here without TLS. */
export async function startApns(port?: number): Promise<VendorStandIn<ApnsBody>> {
  const vendor = { taken: [] as TakenPush<ApnsBody>[], answer: (): Reply => ({ status: 200 }) }
  const handle: Handler = (request, text) => {
    const body = JSON.parse(text.toString()) as ApnsBody
    const push = { path: request.url!, headers: request.headers, body }
    vendor.taken.push(push)
    return (vendor.answer as VendorStandIn<ApnsBody>['answer'])(push)
  }
  const server = createHttp2Server((request, response) =>
    serve(handle)(request as unknown as IncomingMessage, response as unknown as ServerResponse),
  )
  return Object.assign(vendor, await listen(server as unknown as Server, 'http', port))
}

export interface FcmBody {
  message: {
    token: string
    notification: { title: string; body: string }
    data: Record<string, string>
    android: Record<string, unknown>
  }
}

/** Google's service with its token endpoint, and the account that opens it. */
export async function startFcm() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const vendor = {
    taken: [] as TakenPush<FcmBody>[],
    tokensGiven: 0,
    answer: (): Reply => ({ status: 200, body: { name: 'projects/test/messages/1' } }),
  }
  const handle: Handler = (request, text) => {
    if (request.url === '/token') {
      vendor.tokensGiven++
      return { status: 200, body: { access_token: `access-${vendor.tokensGiven}`, expires_in: 3600 } }
    }
    const push = {
      path: request.url!,
      headers: request.headers,
      body: JSON.parse(text.toString()) as FcmBody,
    }
    vendor.taken.push(push)
    return (vendor.answer as VendorStandIn<FcmBody>['answer'])(push)
  }
  const listening = await listen(createServer(serve(handle)), 'http')
  const account = {
    project_id: 'test',
    client_email: 'push@test.example',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    token_uri: `${listening.url}/token`,
  }
  return Object.assign(
    vendor as Omit<VendorStandIn<FcmBody>, 'url' | 'close'> & { tokensGiven: number },
    listening,
    { account },
  )
}

const tls = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8')

export interface WebPushBody {
  title: string
  body: string
  badge: number
  tag: string
  data: Record<string, string>
}

/** A browser's push service over TLS, the certificate to trust, and a browser that reads what comes. */
export async function startWebPush() {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const vendor = { taken: [] as TakenPush<WebPushBody>[], answer: (): Reply => ({ status: 201 }) }
  const handle: Handler = (request, encrypted) => {
    const body = JSON.parse(decrypt(encrypted, browser, auth)) as WebPushBody
    const push = { path: request.url!, headers: request.headers, body }
    vendor.taken.push(push)
    return (vendor.answer as VendorStandIn<WebPushBody>['answer'])(push)
  }
  const server = createTlsServer({ key: tls('key'), cert: tls('certificate') }, serve(handle))
  const listening = await listen(server, 'https')
  const keys = { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') }
  const token = JSON.stringify({ endpoint: `${listening.url}/subscription`, keys })
  return Object.assign(vendor as Omit<VendorStandIn<WebPushBody>, 'url' | 'close'>, listening, {
    ca: tls('certificate'),
    token,
  })
}

/** Reads a message as a browser does: RFC 8291 over RFC 8188, one record. */
function decrypt(message: Buffer, browser: ECDH, auth: Buffer): string {
  const salt = message.subarray(0, 16)
  const idLength = message.readUInt8(20)
  const sender = message.subarray(21, 21 + idLength)
  const encrypted = message.subarray(21 + idLength)
  const derive = (secret: Buffer, with_: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, with_, info, length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender])
  const secret = derive(browser.computeSecret(sender), auth, info, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(encrypted.subarray(-16))
  const padded = Buffer.concat([decipher.update(encrypted.subarray(0, -16)), decipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}
