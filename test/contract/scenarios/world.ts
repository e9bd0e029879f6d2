import type { TestAnswer, TestClient } from '../../harness/client.ts'
import { eventually } from '../../harness/eventually.ts'

/** Whom the scenarios speak as; all of them are recorded. Alice owns what is made. */
export interface World {
  alice: TestClient
  bob: TestClient
  carol: TestClient
  admin: TestClient
  /** Signs in somebody nobody else uses. */
  newcomer(userId: string): Promise<TestClient>
  /** Publishes a second of picture and sound to an address for encoders, and stays connected. */
  broadcast(url: string): Promise<void>
  /** Callers without a session, with a key of the network. */
  withApiKey: TestClient
  withServerKey: TestClient
}

/** A list of real calls with realistic input, each of which must succeed. */
export type Scenario = (world: World) => Promise<void>

/** The body of an answer that must have worked. */
export function ok({ status, body }: TestAnswer): TestAnswer['body'] {
  if (status < 200 || status > 299) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** Reads until the answer is the one waited for. */
export async function until(
  client: TestClient,
  path: string,
  isThere: (body: TestAnswer['body']) => boolean,
): Promise<void> {
  await eventually(async () => isThere(ok(await client.get(path))), 15_000)
}

/** Sends GETs one after the other; each must work. */
export async function getAll(
  client: TestClient,
  reads: readonly (string | [path: string, query: Record<string, unknown>])[],
): Promise<void> {
  for (const read of reads) {
    const [path, query] = typeof read === 'string' ? [read] : read
    const answer = await client.get(path, query)
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
}

/** A multipart upload of one file; answers the uploaded file. */
export async function upload(
  client: TestClient,
  path: string,
  file: { content: Uint8Array<ArrayBuffer>; type: string; name: string },
): Promise<TestAnswer['body']> {
  const form = new FormData()
  form.append('files', new Blob([file.content], { type: file.type }), file.name)
  const body = ok(await client.send('POST', path, { body: form }))
  return Array.isArray(body) ? body[0] : body
}

/** Uploads a small picture; answers its file id. */
export async function uploadPicture(client: TestClient): Promise<string> {
  const picture = { content: pixel, type: 'image/png', name: 'bee.png' }
  return (await upload(client, '/api/v4/images', picture)).fileId
}

const pixel = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)

/** The first page of a list. */
export const firstPage = { options: { limit: 10 } }
