import type { Db } from '../../kernel/database.ts'
import type { EnvelopeAnswer, Routes } from '../../kernel/http/routes.ts'
import { requireAllowedText, textsIn } from '../moderation/index.ts'
import { requireContent } from './content.ts'
import { messageCreatedShape, messageV3Shape } from './resource.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { CreateMessageBody, CreateMessageV3Body, type DataType, type Mentions } from './schema.ts'
import type { Sent } from './send.ts'
import type { Send } from './send-situation.ts'
import { createSender, type Place, type Sender } from './sender.ts'

const tag = 'Message'

/** Creation shares transactions between requests, so it stands apart from the other operations. */
export function createMessageRoutes({ grouped }: Routes): void {
  const senders = new WeakMap<Db, Sender>()
  const senderOf = (db: Db) => {
    const sender = senders.get(db) ?? createSender(db)
    senders.set(db, sender)
    return sender
  }

  grouped(
    'POST',
    '/api/v3/messages',
    {
      summary: 'Create a message in a channel',
      tag,
      body: CreateMessageV3Body,
      answers: messageV3Shape,
      prehook: 'message.shouldCreate',
    },
    async (db, { viewer, body }) => {
      const { channelId, type = 'text', messageId = null, mentionees = [] } = body
      const sender = senderOf(db)
      const place = await sender.locate({ channelId })
      const message = compose(viewer, place, type, body, mentionees)
      message.messageId = messageId
      return send(db, sender, message)
    },
  )
  grouped(
    'POST',
    '/api/v5/messages',
    {
      summary: 'Create a message in a message feed',
      tag,
      body: CreateMessageBody,
      answers: messageCreatedShape,
      prehook: 'message.shouldCreate',
    },
    async (db, { viewer, body }) => {
      const { messageFeedId, dataType, referenceId = null, mentionedUsers = [] } = body
      const sender = senderOf(db)
      const place = await sender.locate({ messageFeedId })
      const message = compose(viewer, place, dataType, body, mentionedUsers)
      message.referenceId = referenceId
      return send(db, sender, message)
    },
  )
}

type Content = Pick<CreateMessageV3Body, 'data' | 'metadata' | 'fileId' | 'parentId' | 'tags'>

/** What both forms of the request say alike. */
function compose(
  viewer: Viewer,
  place: Place,
  dataType: DataType,
  content: Content,
  mentions: Mentions,
): Send {
  const { data = {}, metadata = {}, fileId, parentId, tags = [] } = content
  requireContent(dataType, data, metadata)
  const { thumbnailFileId } = data
  return {
    viewer,
    channelId: place.channelId,
    messageFeedId: place.messageFeedId,
    messageId: null,
    referenceId: null,
    dataType,
    data,
    metadata,
    fileId: fileId || null,
    thumbnailFileId: typeof thumbnailFileId === 'string' ? thumbnailFileId || null : null,
    parentId: parentId || null,
    tags,
    mentions,
  }
}

async function send(db: Db, sender: Sender, message: Send): Promise<EnvelopeAnswer> {
  await requireAllowedText(db, message.viewer, { texts: textsIn(message.data) })
  return answer(await sender.send(message))
}

/** Everything the answer shows was written or read by the batch: nothing is read again. */
function answer({ message, isNew, feed, users, files }: Sent): EnvelopeAnswer {
  const untouched = new Map([[message.id, { myReactions: [] }]])
  return {
    roots: { messages: [message.id] },
    preloaded: {
      rows: {
        messages: new Map([[message.id, message]]),
        messageFeeds: new Map(feed && [[feed.id, feed]]),
        users,
        files,
      },
      ...(isNew && { states: { messages: untouched } }),
    },
  }
}
