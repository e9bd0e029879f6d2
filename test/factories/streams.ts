import type { TestAnswer, TestClient } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'

type Fields = Record<string, unknown>

export const streaming = '/api/v3/video-streaming'

export function streamPath(streamId: string, rest = ''): string {
  return `${streaming}/${streamId}${rest}`
}

/** Makes a stream as this user; answers it as shown to them. */
export async function createStream(client: TestClient, fields: Fields = {}): Promise<TestAnswer['body']> {
  const answer = await client.post(streaming, { title: 'Live', ...fields })
  if (answer.status !== 200) throw new Error(`creating a stream: ${JSON.stringify(answer.body)}`)
  return answer.body.videoStreamings[0]
}

/** A stream as somebody sees it; undefined when they see none. */
export async function readStream(client: TestClient, streamId: string): Promise<TestAnswer['body']> {
  return (await client.get(streamPath(streamId))).body.videoStreamings?.[0]
}

/** Waits until a stream has come to a status; answers it. */
export async function untilStatus(
  client: TestClient,
  streamId: string,
  status: string,
  ms = 20_000,
): Promise<TestAnswer['body']> {
  return eventually(async () => {
    const stream = await readStream(client, streamId)
    return stream?.status === status ? stream : undefined
  }, ms)
}
