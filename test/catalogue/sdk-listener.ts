import { connectAsync } from 'mqtt'
import type { TestClient } from '../harness/client.ts'
import type { News } from '../harness/listener.ts'
import type { TestServer } from '../harness/server.ts'

/** Everything of an envelope. */
export interface HeardEvent extends News {
  id: string
  networkId: string
  sendTime: string
  version: string
  position?: string
}

/** One of the published clients' connections. */
export interface SdkListener {
  heard: HeardEvent[]
  /** Subscribes as an app does when it shows something. Fails when a topic is refused. */
  follow(...topics: string[]): Promise<void>
  close(): Promise<void>
}

interface Shown {
  path: string
}

/** The topics that the published clients subscribe, by what an app shows. */
export const topicsOf = {
  signIn: ({ id }: TestClient) => [
    'hubbub',
    ...['channels', 'messagefeeds', 'messages'].map((kind) => `hubbub/smartfeed/${id}/${kind}`),
    `hubbub/user/${id}`,
    `hubbub/marker/user/${id}`,
    'hubbub/videostreaming',
  ],
  user: ({ id }: TestClient) => [`hubbub/user/${id}`],
  page: ({ id }: TestClient) => [`hubbub/social/user/${id}/post/#`],
  followers: ({ id }: TestClient) => [`hubbub/membership/${id}/+/+`, `hubbub/membership/+/${id}/+`],
  channel: ({ path }: Shown) => [`${path}/#`],
  receipts: ({ channelId, _id }: { channelId: string; _id: string }) => [
    `hubbub/marker/channel/${channelId}/message/${_id}`,
  ],
  community: ({ path }: Shown) => [path, `${path}/post/#`],
  stories: ({ communityId }: { communityId: string }) => [`hubbub/social/community/${communityId}/story/#`],
  liveReactions: ({ path }: Shown) => [`${path}/liveReaction`],
  room: ({ _id, roomId }: { _id: string; roomId: string }) => [
    `hubbub/room/${_id}`,
    `hubbub/room/${roomId}/streamer`,
  ],
}

/** Connects as the published clients do when somebody signs in, with what they subscribe by themselves. */
export async function connectAsSdk(server: TestServer, me: TestClient): Promise<SdkListener> {
  const client = await connectAsync(server.mqttUrl, {
    clientId: `mqttjs_device-of-${me.userId}_${me.id}_0`,
    username: me.id,
    password: me.accessToken,
    clean: false,
    keepalive: 60,
    reconnectPeriod: 0,
  })
  const heard: HeardEvent[] = []
  client.on('message', (_topic, payload) => heard.push(JSON.parse(payload.toString()) as HeardEvent))
  const follow = async (...topics: string[]) => {
    for (const { topic, qos } of await client.subscribeAsync(topics, { qos: 0 }))
      if (qos === 128) throw new Error(`${me.userId} may not listen to ${topic}`)
  }
  await follow(...topicsOf.signIn(me))
  return { heard, follow, close: () => client.endAsync(true) }
}
