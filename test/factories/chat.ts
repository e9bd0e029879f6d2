import type { TestClient } from '../harness/client.ts'

export interface MadeChannel {
  id: string
  channelId: string
}

/** Makes a channel, and has others join it. */
export async function createChannel(
  owner: TestClient,
  fields: Record<string, unknown> = {},
  ...others: TestClient[]
): Promise<MadeChannel> {
  const { status, body } = await owner.post('/api/v3/channels', {
    type: 'community',
    displayName: 'Chat',
    ...fields,
  })
  if (status !== 200) throw new Error(`channel: ${status} ${JSON.stringify(body)}`)
  const { _id: id, channelId } = body.channels[0]
  for (const other of others) await other.post(`/api/v3/channels/${channelId}/join`)
  return { id, channelId }
}

/** Sends a text to a feed; the default feed of a channel has the channel's internal id. Answers the message. */
export async function sendText(
  sender: TestClient,
  messageFeedId: string,
  fields: Record<string, unknown> = {},
) {
  const { status, body } = await sender.post('/api/v5/messages', {
    messageFeedId,
    dataType: 'text',
    data: { text: 'hello' },
    ...fields,
  })
  if (status !== 200) throw new Error(`message: ${status} ${JSON.stringify(body)}`)
  return body.messages[0] as { messageId: string; segment: number; messageFeedId: string }
}

/** Adds a feed to a channel (internal id). Answers its id. */
export async function createMessageFeed(owner: TestClient, channelId: string): Promise<string> {
  const { status, body } = await owner.post('/api/v5/message-feeds', { channelId, name: 'Side' })
  if (status !== 200) throw new Error(`feed: ${status} ${JSON.stringify(body)}`)
  return body.messageFeeds[0].messageFeedId as string
}
