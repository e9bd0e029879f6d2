/** An answer: status, parsed body, headers. */
export interface TestAnswer {
  status: number
  body: any // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
  headers: Headers
}

type Query = Record<string, unknown>

/** A signed-in user on the wire. Paths may hold a ready query string. */
export interface TestClient {
  userId: string
  /** The internal id. */
  id: string
  accessToken: string
  get(path: string, query?: Query): Promise<TestAnswer>
  post(path: string, body?: unknown): Promise<TestAnswer>
  put(path: string, body?: unknown): Promise<TestAnswer>
  delete(path: string, body?: unknown): Promise<TestAnswer>
  send(
    method: string,
    path: string,
    options?: { body?: RequestInit['body']; headers?: Record<string, string> },
  ): Promise<TestAnswer>
}

/** Signs a user in over HTTP. */
export async function createClient(
  url: string,
  apiKey: string,
  userId: string,
  displayName = userId,
): Promise<TestClient> {
  const signedIn = await request(`${url}/api/v5/sessions`, 'POST', {
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ userId, displayName, deviceId: `device-of-${userId}` }),
  })
  if (signedIn.status !== 200)
    throw new Error(`sign-in of ${userId}: ${signedIn.status} ${JSON.stringify(signedIn.body)}`)
  const { accessToken, users } = signedIn.body
  const authorization = `Bearer ${accessToken}`
  const json = (method: string, path: string, body?: unknown) =>
    request(url + path, method, {
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    userId,
    id: users[0]._id,
    accessToken,
    get: (path, query) => json('GET', query ? `${path}?${toQueryString(query)}` : path),
    post: (path, body) => json('POST', path, body),
    put: (path, body) => json('PUT', path, body),
    delete: (path, body) => json('DELETE', path, body),
    send: (method, path, { body, headers } = {}) =>
      request(url + path, method, {
        headers: { authorization, ...headers },
        ...(body !== undefined && { body }),
      }),
  }
}

async function request(url: string, method: string, init: RequestInit): Promise<TestAnswer> {
  const response = await fetch(url, { method, ...init })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('application/json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
}

/** Nested keys the way the published clients write them: `options[limit]=1`, `ids[]=a`. */
export function toQueryString(query: Query): string {
  const pairs: string[] = []
  const add = (key: string, value: unknown) => {
    if (value === undefined) return
    // Objects are told apart by their place.
    if (Array.isArray(value))
      value.forEach((item, i) => add(`${key}[${typeof item === 'object' ? i : ''}]`, item))
    else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) add(`${key}[${name}]`, item)
    } else pairs.push(`${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`)
  }
  for (const [key, value] of Object.entries(query)) add(key, value)
  return pairs.join('&')
}
