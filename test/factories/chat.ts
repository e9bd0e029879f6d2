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

/** Makes a channel others join at once; answers its internal and public id. */
export async function openChannel(
  owner: TestClient,
  fields: Fields = {},
  ...others: TestClient[]
): Promise<{ id: string; channelId: string }> {
  const { _id: id, channelId } = await createChannel(owner, {
    type: 'community',
    displayName: 'Chat',
    ...fields,
  })
  for (const other of others) ok(await other.post(channelPath(channelId, '/join')))
  return { id, channelId }
}

/** Adds a feed to a channel (internal id); answers its id. */
export async function createMessageFeed(owner: TestClient, channelId: string): Promise<string> {
  return ok(await owner.post('/api/v5/message-feeds', { channelId, name: 'Side' })).messageFeeds[0]
    .messageFeedId
}

/** Sends a text to a feed; answers the message. */
export async function sayIn(
  client: TestClient,
  feedId: string,
  text = 'hello',
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
