import { setTimeout as wait } from 'node:timers/promises'

/** What an app and its backend know of a network. */
export interface NetworkAccess {
  apiKey: string
  serverKey: string
}

type Body = Record<string, unknown>
export type Answer = Record<string, Body[]>

/** One person's view of the server. */
export interface Person {
  userId: string
  post(path: string, body?: Body): Promise<Answer>
  upload(path: string, name: string, bytes: Buffer): Promise<string>
}

export interface SeedClient {
  signIn(userId: string, displayName: string): Promise<Person>
}

/** Talks to a server as an app does: the backend vouches for each person, the app acts for them, no faster than it may. */
export function createSeedClient(url: string, { apiKey, serverKey }: NetworkAccess): SeedClient {
  const send = async (
    path: string,
    headers: Record<string, string>,
    body?: Body | FormData,
  ): Promise<unknown> => {
    const isForm = body instanceof FormData
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, ...(!isForm && { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body ?? {}),
    })
    const text = await response.text()
    if (response.status === 429) {
      await wait(Number(response.headers.get('retry-after')) * 1000)
      return send(path, headers, body)
    }
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text.slice(0, 300)}`)
    return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
  }

  return {
    async signIn(userId, displayName) {
      const authToken = (await send(
        '/api/v4/authentication/token',
        { 'x-server-key': serverKey },
        { userId },
      )) as string
      const deviceId = `seed-${userId}`
      const session = (await send(
        '/api/v5/sessions',
        { 'x-api-key': apiKey },
        { userId, displayName, deviceId, authToken },
      )) as {
        accessToken: string
      }
      const authorization = `Bearer ${session.accessToken}`
      return {
        userId,
        post: async (path, body) => (await send(path, { authorization }, body)) as Answer,
        async upload(path, name, bytes) {
          const form = new FormData()
          form.append('files', new Blob([new Uint8Array(bytes)]), name)
          const [file] = (await send(path, { authorization }, form)) as { fileId: string }[]
          return file!.fileId
        },
      }
    },
  }
}
