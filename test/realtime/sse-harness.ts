// An HTTP server that opens event streams, and a client that reads their records.
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface StreamRecord {
  id?: string
  event?: string
  data?: string
  retry?: string
  comment?: boolean
}

/** Starts a server that hands each request to `open`. Returns its URL. */
export async function startStreamServer(
  open: (res: ServerResponse, req: IncomingMessage) => void,
): Promise<string> {
  const server = createServer((req, res) => open(res, req))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

export interface StreamClient {
  response: IncomingMessage
  records: StreamRecord[]
  /** The records that carry data. */
  events: () => StreamRecord[]
  /** Resolves when the response is over, cleanly or not. */
  ended: Promise<'end' | 'cut'>
  cut: () => void
}

/** Opens an event stream and collects its records. */
export async function readStream(url: string, lastEventId?: string): Promise<StreamClient> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const request = get(url, { headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const records: StreamRecord[] = []
  let text = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    records.push(...parts.map(parseRecord))
  })
  const ended = new Promise<'end' | 'cut'>((resolve) => {
    response.on('end', () => resolve('end'))
    response.on('error', () => resolve('cut'))
    response.on('close', () => resolve('cut'))
  })
  request.on('error', () => undefined)
  return {
    response,
    records,
    events: () => records.filter(({ data }) => data !== undefined),
    ended,
    cut: () => request.destroy(),
  }
}

function parseRecord(text: string): StreamRecord {
  const record: StreamRecord = {}
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).replace(/^ /, '')
    if (name === '') record.comment = true
    else if (name === 'data') record.data = record.data === undefined ? value : `${record.data}\n${value}`
    else if (name === 'id' || name === 'event' || name === 'retry') record[name] = value
  }
  return record
}
