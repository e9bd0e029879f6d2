import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { findReactionNames } from '../reactions/index.ts'
import {
  presentCreatedMessage,
  presentMessage,
  presentMessagePreview,
  presentMessageV3,
  type MessageState,
} from './present.ts'
import { Message, MessagePreview, MessageV3 } from './schema.ts'
import { findMessagesById, type MessageRow } from './store.ts'

/** Messages, by internal id. Who may read them is asked where they are looked up: it depends on their channel. */
const messageResource: Resource<MessageRow, MessageState> = {
  name: 'messages',
  load: async (db, ids) => byId(await findMessagesById(db, ids), (row) => row.id),
  references: (row) => ({
    users: [row.creatorId, ...row.mentionedUserIds],
    files: row.isDeleted ? [] : [row.fileId, row.thumbnailFileId],
    messageFeeds: [row.messageFeedId],
    messageFeedsInfo: [row.messageFeedId],
  }),
  async viewerState({ db, viewer }, rows) {
    const names = await findReactionNames(db, viewer.id, 'message', [...rows.keys()])
    return new Map([...rows.keys()].map((id) => [id, { myReactions: names.get(id) ?? [] }]))
  },
}

export const messageSlots = {
  messages: slot(messageResource, Message, presentMessage),
  messagesCreated: slot(messageResource, Message, presentCreatedMessage),
  messagesV3: slot(messageResource, MessageV3, presentMessageV3),
  messagePreviews: slot(messageResource, MessagePreview, presentMessagePreview),
}

const beside = shape({ messageFeeds: 'messageFeedsOfMessages' }, 'files', 'users')
export const messageShape = shape('messages', beside)
export const messageCreatedShape = shape({ messages: 'messagesCreated' }, beside)
export const messageV3Shape = shape({ messages: 'messagesV3' }, 'users', 'files')
