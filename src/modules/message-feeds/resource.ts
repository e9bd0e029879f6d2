import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { presentMessageFeed, presentMessageFeedInfo } from './present.ts'
import { MessageFeed, MessageFeedInfo } from './schema.ts'
import { findMessageFeedsById, type MessageFeedRow } from './store.ts'

const messageFeedResource: Resource<MessageFeedRow> = {
  name: 'messageFeeds',
  load: async (db, ids) => byId(await findMessageFeedsById(db, ids), (row) => row.id),
  references: (row) => ({ users: [row.creatorId], messages: [row.lastId] }),
}

/** Feeds beside messages: they must not bring their last message among those asked for. */
const feedOfMessageResource: Resource<MessageFeedRow> = {
  ...messageFeedResource,
  name: 'messageFeedsOfMessages',
  references: () => ({}),
}

export const messageFeedSlots = {
  messageFeeds: slot(messageFeedResource, MessageFeed, presentMessageFeed),
  messageFeedsOfMessages: slot(feedOfMessageResource, MessageFeed, presentMessageFeed),
  messageFeedsInfo: slot(messageFeedResource, MessageFeedInfo, presentMessageFeedInfo),
}

export const messageFeedShape = shape('messageFeeds', 'messages', 'users', 'files')
