import type { Roots } from '../../kernel/envelope/assembler.ts'

/** The id of what a user has before them in a channel or feed. */
export function ofUser(id: string, userId: string): string {
  return `${id}:${userId}`
}

/** Feeds, and what a user (internal id) has before them there, in their channels and in all. */
export function feedRootsOf(userId: string, feeds: { id: string; channelId: string }[]): Roots {
  return {
    userMarkers: [userId],
    userEntityMarkers: feeds.map((feed) => ofUser(feed.channelId, userId)),
    userFeedMarkers: feeds.map((feed) => ofUser(feed.id, userId)),
    feedMarkers: feeds.map((feed) => feed.id),
  }
}
