import type { TestClient } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts'
import { ok } from '../factories/chat.ts'
import { apiKey, apiSecret, startLiveKitApi } from '../stage/livekit-server.ts'
import { connectAsSdk, type HeardEvent } from './sdk-listener.ts'

/** A server with everything switched on, three people who listen, and a receiver of all webhooks. */
export interface World {
  server: TestServer
  receiver: WebhookReceiver
  /** Of the registered endpoint. */
  secret: string
  mediaSecret: string
  admin: TestClient
  alice: TestClient
  bob: TestClient
  carol: TestClient
  /** Alice's app shows something. */
  follow(...topics: string[]): Promise<void>
  /** What came to anybody over MQTT, each event once. */
  heard(): HeardEvent[]
  /** Resolves when all that happened was told. */
  quiet(): Promise<void>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const mediaSecret = 'a-secret-between-two-servers'
  const liveKit = await startLiveKitApi()
  const server = await startTestServer({
    HUBBUB_WEBHOOK_ALLOW_PRIVATE: 'true',
    // Streams are told of here as another media server does, instead of streamed.
    HUBBUB_MEDIA_RTMP_URL: 'rtmp://media.example',
    HUBBUB_MEDIA_SECRET: mediaSecret,
    HUBBUB_STREAM_GRACE_SECONDS: '1',
    LIVEKIT_URL: liveKit.url,
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
  })
  const receiver = await startWebhookReceiver()
  const admin = await server.asAdmin()
  const [endpoint] = ok(await admin.post('/api/v1/webhooks', { url: receiver.url, events: ['*'] })).webhooks
  const [alice, bob, carol] = await Promise.all([server.as('alice'), server.as('bob'), server.as('carol')])
  const listeners = await Promise.all([alice, bob, carol].map((person) => connectAsSdk(server, person)))
  const deliveries = `/api/v1/webhooks/${endpoint.webhookId}/deliveries`
  return {
    server,
    receiver,
    secret: endpoint.secret,
    mediaSecret,
    admin,
    alice,
    bob,
    carol,
    follow: listeners[0]!.follow,
    heard: () => [
      ...new Map(listeners.flatMap(({ heard }) => heard).map((news) => [news.id, news])).values(),
    ],
    async quiet() {
      await server.settled()
      await eventually(async () => {
        const { body } = await admin.get(deliveries, { state: 'pending' })
        return body.deliveries.length === 0
      }, 20_000)
      // An answer comes behind all that was sent before it.
      await Promise.all(listeners.map((listener) => listener.follow('hubbub')))
    },
    async close() {
      await Promise.all(listeners.map((listener) => listener.close()))
      await receiver.close()
      await server.close()
      await liveKit.close()
    },
  }
}
