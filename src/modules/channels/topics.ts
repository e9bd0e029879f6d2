import type { TopicGuard } from '../../kernel/topics.ts'
import { canReadMessages } from './policy.ts'
import { findChannel, findChannelMembership } from './queries.ts'

/** Who may subscribe is who may read; a deleted channel says nothing more. */
export const channelTopics: TopicGuard[] = [
  {
    pattern: 'chat/:channelId',
    async allow(db, viewer, { channelId = '' }) {
      const channel = await findChannel(db, channelId)
      if (!channel || channel.isDeleted) return false
      return canReadMessages(viewer, channel, await findChannelMembership(db, channelId, viewer.id))
    },
  },
  { pattern: 'smartfeed/:userId', allow: (_db, viewer, { userId }) => userId === viewer.id },
]
