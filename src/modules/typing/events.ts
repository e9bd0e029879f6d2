import { channelMembers, paths } from '../../kernel/paths.ts'
import { defineEvent } from '../../kernel/outbox/event.ts'
import type { ChannelType } from '../channels/index.ts'

export interface TypingSubject {
  channelId: string
  channelPublicId: string
  channelType: ChannelType
  messageFeedId: string
  userId: string
  userPublicId: string
  isTyping: boolean
  /** Until when it holds unless it is said again, ISO 8601. */
  expiresAt: string
}

/** Somebody types, or stopped. Only ever broadcast: see docs/decisions/typing-signal.md. */
export const messageTyping = defineEvent<TypingSubject>({
  name: 'message.typing',
  audiences({ channelId, channelType, messageFeedId }) {
    const topic = paths.messageFeed(channelId, messageFeedId)
    return channelType === 'live' ? [topic] : [topic, channelMembers(channelId, 'messages')]
  },
  realtime: {
    extra: ({ channelId, channelPublicId, messageFeedId, userId, userPublicId, isTyping, expiresAt }) => ({
      channelId,
      channelPublicId,
      messageFeedId,
      userId: userPublicId,
      userInternalId: userId,
      isTyping,
      expiresAt,
    }),
  },
})
