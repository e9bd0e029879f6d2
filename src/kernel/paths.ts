/**
 * One server is one network, and this is its id on the wire. Clients cut it out of paths as the first run of word
 * characters (docs/decisions/network-id.md).
 */
export const networkId = 'hubbub'

// Every object's `path` is the realtime topic of its events, built here and nowhere else. All ids are internal ones:
// ids that clients chose may hold the characters that MQTT reserves.
export const paths = {
  network: networkId,
  user: (userId: string) => `${networkId}/user/${userId}`,
  community: (communityId: string) => `${networkId}/social/community/${communityId}`,
  /** A user's feed or a community's feed. */
  target: (type: string, id: string) => `${networkId}/social/${type}/${id}`,
  /** Of content the target's id is the app's own and may hold anything; encoding leaves ids of ours as they are. */
  post: (targetType: string, targetId: string, postId: string) =>
    `${networkId}/social/${targetType}/${encodeURIComponent(targetId)}/post/${postId}`,
  story: (targetType: string, targetId: string, storyId: string) =>
    `${networkId}/social/${targetType}/${targetId}/story/${storyId}`,
  comment: (referencePath: string, commentId: string) => `${referencePath}/comment/${commentId}`,
  liveReaction: (postPath: string) => `${postPath}/liveReaction`,
  follow: (toUserId: string, fromUserId: string, status: string) =>
    `${networkId}/membership/${toUserId}/${fromUserId}/${status}`,
  channel: (channelId: string) => `${networkId}/chat/${channelId}`,
  messageFeed: (channelId: string, feedId: string) => `${networkId}/chat/${channelId}/${feedId}`,
  message: (channelId: string, feedId: string, messageId: string) =>
    `${networkId}/chat/${channelId}/${feedId}/${messageId}`,
  smartFeed: (userId: string, kind: SmartFeed) => `${networkId}/smartfeed/${userId}/${kind}`,
  userMarker: (userId: string) => `${networkId}/marker/user/${userId}`,
  messageMarker: (channelPublicId: string, feedId: string) =>
    `${networkId}/marker/channel/${channelPublicId}/message/${feedId}`,
  videoStreaming: `${networkId}/videostreaming`,
  room: (roomInternalId: string) => `${networkId}/room/${roomInternalId}`,
  roomStreamer: (roomId: string) => `${networkId}/room/${roomId}/streamer`,
} as const

/** The personal topics on which a member hears of their channels. */
export type SmartFeed = 'channels' | 'messagefeeds' | 'messages'

/** An address of an event: a topic, or the connected members of a channel on their personal topic. */
export type Audience = string

const memberPrefix = 'members:'

/** The audience of all connected members of a channel, each on their smart-feed topic of this kind. */
export function channelMembers(channelInternalId: string, kind: SmartFeed): Audience {
  return `${memberPrefix}${channelInternalId}:${kind}`
}

/** Splits a members audience; null for a plain topic. */
export function parseMembersAudience(audience: Audience): { channelId: string; kind: SmartFeed } | null {
  if (!audience.startsWith(memberPrefix)) return null
  const [channelId, kind] = audience.slice(memberPrefix.length).split(':') as [string, SmartFeed]
  return { channelId, kind }
}
