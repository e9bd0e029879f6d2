import type { TopicGuard } from '../../kernel/topics.ts'
import { findChannel, findReadableChannels } from '../channels/index.ts'
import { findFeedPlaces } from '../message-feeds/index.ts'

/** Who may follow how a feed is read is who may read it. The topic names the channel by its public id. */
export const markerTopics: TopicGuard[] = [
  {
    pattern: 'marker/channel/:channelId/message/:messageFeedId',
    async allow(db, viewer, { channelId, messageFeedId = '' }) {
      const [feed] = await findFeedPlaces(db, [messageFeedId])
      const channel = feed && (await findChannel(db, feed.channelId))
      if (!channel || channel.channelId !== channelId || channel.isDeleted || channel.isClosed) return false
      return (await findReadableChannels(db, viewer, [channel.id])).has(channel.id)
    },
  },
]
