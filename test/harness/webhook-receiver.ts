import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A request as a receiver of webhooks gets it. */
export interface ReceivedWebhook {
  path: string
  headers: IncomingHttpHeaders
  id: string
  text: string
  body: any // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
}

export interface WebhookReceiver {
  url: string
  received: ReceivedWebhook[]
  /** Replaces how it answers; by default with 200. */
  answer(how: (request: ReceivedWebhook, response: ServerResponse) => void): void
  close(): Promise<void>
}

/** A real receiver on a free port. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  let how: Parameters<WebhookReceiver['answer']>[0] = (_request, response) => response.end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const webhook: ReceivedWebhook = {
        path: request.url ?? '',
        headers: request.headers,
        id: String(request.headers['webhook-id']),
        text,
        body: JSON.parse(text),
      }
      received.push(webhook)
      how(webhook, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => void (how = next),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Throws unless the request is signed with the secret, as any receiver with the library would. */
export function verifyWebhook(secret: string, { text, headers }: ReceivedWebhook): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>)
}
