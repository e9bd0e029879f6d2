import type { TestAnswer, TestClient } from '../harness/client.ts'

type Fields = Record<string, unknown>
type Body = TestAnswer['body']

/** The body of an answer that must have worked. */
export function ok(answer: TestAnswer): Body {
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** The status and code of an answer that must have failed. */
export function refusal({ status, body }: TestAnswer): [status: number, code: number] {
  return [status, body.code]
}

/** Makes a channel as this user; answers it as shown to them. */
export async function createChannel(client: TestClient, fields: Fields = {}): Promise<Body> {
  return ok(await client.post('/api/v3/channels', fields)).channels[0]
}

/** Makes or finds the conversation of this user with others. */
export async function converse(client: TestClient, userIds: string[], fields: Fields = {}): Promise<Body> {
  return ok(await client.post('/api/v3/channels/conversation', { userIds, ...fields })).channels[0]
}

/** Sends a text to a channel (public id) with the older operation; answers the message. */
export async function say(
  client: TestClient,
  channelId: string,
  text: string,
  fields: Fields = {},
): Promise<Body> {
  return ok(await client.post('/api/v3/messages', { channelId, data: { text }, ...fields })).messages[0]
}

/** Sends a text to a feed; answers the message. */
export async function sayIn(
  client: TestClient,
  feedId: string,
  text: string,
  fields: Fields = {},
): Promise<Body> {
  const body = { messageFeedId: feedId, dataType: 'text', data: { text }, ...fields }
  return ok(await client.post('/api/v5/messages', body)).messages[0]
}

export function channelPath(channelId: string, rest = '', version = 'v3'): string {
  return `/api/${version}/channels/${encodeURIComponent(channelId)}${rest}`
}

/** The membership of one user in an answer. */
export function memberOf(body: Body, userId: string): Body {
  return body.channelUsers.find((member: { userId: string }) => member.userId === userId)
}
