import type { TestAnswer, TestClient } from '../harness/client.ts'
import { toQueryString } from '../harness/client.ts'
import type { TestServer } from '../harness/server.ts'
import { checkAnswer } from './check-answer.ts'
import { findOperation } from './facts.ts'

/** A request that succeeded, to be sent again with one thing changed. */
export interface Sample {
  client: TestClient
  method: string
  path: string
  query?: Record<string, unknown>
  body?: unknown
}

/** Everything that reached an operation. */
export interface Recording {
  /** The successful request of each operation that said the most, by its id. */
  samples: Map<string, Sample>
  problems: string[]
}

type Method = 'get' | 'post' | 'put' | 'delete'

/** Notes what this client asks, and where the answers differ from the facts. */
export function record(client: TestClient, recording: Recording): TestClient {
  const call =
    (method: Method) =>
    async (path: string, payload?: unknown): Promise<TestAnswer> => {
      const answer = await (client[method] as (path: string, payload?: unknown) => Promise<TestAnswer>)(
        path,
        payload,
      )
      const sample = { client, method: method.toUpperCase(), path }
      const given = payload as Record<string, unknown>
      note(recording, { ...sample, ...(method === 'get' ? { query: given } : { body: given }) }, answer)
      return answer
    }
  return {
    ...client,
    get: call('get'),
    post: call('post'),
    put: call('put'),
    delete: call('delete'),
    async send(method, path, options) {
      const answer = await client.send(method, path, options)
      note(recording, { client, method, path }, answer)
      return answer
    },
  }
}

function note({ samples, problems }: Recording, sample: Sample, { status, body }: TestAnswer): void {
  const operation = findOperation(sample.method, sample.path)
  if (!operation || status < 200 || status > 299) return
  const size = (one?: Sample) => (one ? JSON.stringify([one.query, one.body]).length : 0)
  if (size(sample) > size(samples.get(operation.id))) samples.set(operation.id, sample)
  problems.push(...checkAnswer(operation, body).map((problem) => `${operation.id}: ${problem}`))
}

/** A caller without a session, for what keys open. */
export function keyed(server: TestServer, headers: Record<string, string>, recording: Recording): TestClient {
  const send = async (method: string, path: string, payload?: unknown): Promise<TestAnswer> => {
    const response = await fetch(server.url + path, {
      method,
      headers: { ...headers, ...(payload !== undefined && { 'content-type': 'application/json' }) },
      ...(payload !== undefined && { body: JSON.stringify(payload) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
  }
  const client: TestClient = {
    userId: '',
    id: '',
    accessToken: '',
    get: (path, query) => send('GET', query ? `${path}?${toQueryString(query)}` : path),
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    delete: (path, body) => send('DELETE', path, body),
    send: (method, path) => send(method, path),
  }
  return record(client, recording)
}
