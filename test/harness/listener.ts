import { eventually } from './eventually.ts'
import type { TestClient } from './client.ts'
import type { TestServer } from './server.ts'

/** A realtime envelope as a client receives it. */
export interface News {
  eventType: string
  path: string
  senderId: string
  data: any // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
}

export interface Listener {
  heard: News[]
  /** The names of all that was heard. */
  names(): string[]
  /** The first event of this name that has not been taken yet. */
  next(eventType: string): Promise<News>
  close(): void
}

/** Follows what reaches a user over an event stream from now on: their own topics, or the ones named. */
export async function listen(server: TestServer, client: TestClient, topics?: string[]): Promise<Listener> {
  await server.settled()
  const { position } = await server.app.db
    .selectFrom('outboxHead')
    .select('position')
    .executeTakeFirstOrThrow()
  const query = (topics ?? []).map((topic) => `topics[]=${encodeURIComponent(topic)}`).join('&')
  const abort = new AbortController()
  const response = await fetch(`${server.url}/realtime?${query}`, {
    headers: { authorization: `Bearer ${client.accessToken}`, 'last-event-id': String(position) },
    signal: abort.signal,
  })
  if (response.status !== 200) throw new Error(`listening: ${response.status} ${await response.text()}`)
  const heard: News[] = []
  const taken = new Set<News>()
  void collect(response, heard)
  return {
    heard,
    names: () => heard.map((news) => news.eventType),
    async next(eventType) {
      const news = await eventually(() => heard.find((one) => one.eventType === eventType && !taken.has(one)))
      taken.add(news!)
      return news!
    },
    close: () => abort.abort(),
  }
}

async function collect(response: Response, heard: News[]): Promise<void> {
  let text = ''
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const records = text.split('\n\n')
      text = records.pop() ?? ''
      for (const record of records) {
        const data = /^data: (.*)$/m.exec(record)?.[1]
        if (data) heard.push(JSON.parse(data) as News)
      }
    }
  } catch {
    // The listener was closed.
  }
}
