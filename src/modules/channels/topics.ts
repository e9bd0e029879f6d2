import type { TopicGuard } from '../../kernel/topics.ts'
import { findReadableChannels, findChannel } from './queries.ts'

/** Who may subscribe is who may read; a channel that has ended says nothing more. */
export const channelTopics: TopicGuard[] = [
  {
    pattern: 'chat/:channelId',
    async allow(db, viewer, { channelId = '' }) {
      const channel = await findChannel(db, channelId)
      if (!channel || channel.isDeleted || channel.isClosed) return false
      return (await findReadableChannels(db, viewer, [channelId])).has(channelId)
    },
  },
  { pattern: 'smartfeed/:userId', allow: (_db, viewer, { userId }) => userId === viewer.id },
]
