import type { Db } from '../../kernel/database.ts'
import type { EnvelopeAnswer, Request, Routes } from '../../kernel/http/routes.ts'
import { requireContent } from './content.ts'
import { messageCreatedShape, messageV3Shape } from './resource.ts'
import { CreateMessageBody, CreateMessageV3Body } from './schema.ts'
import { TooFastError } from './send-checks.ts'
import type { Send, Sent } from './send.ts'
import { createSender, type Destination, type Sender } from './sender.ts'

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
    { summary: 'Create a message in a channel', tag, body: CreateMessageV3Body, answers: messageV3Shape },
    async (db, { viewer, body, reply }) => {
      const { channelId, type = 'text', mentionees = [], messageId = null, ...content } = body
      const message = { viewer, ...compose(content), dataType: type, mentions: mentionees }
      return send(senderOf(db), { channelId }, { ...message, messageId, referenceId: null }, reply)
    },
  )
  grouped(
    'POST',
    '/api/v5/messages',
    { summary: 'Create a message in a message feed', tag, body: CreateMessageBody, answers: messageCreatedShape },
    async (db, { viewer, body, reply }) => {
      const { messageFeedId, dataType, mentionedUsers = [], referenceId = null, ...content } = body
      const message = { viewer, ...compose(content), dataType, mentions: mentionedUsers }
      return send(senderOf(db), { messageFeedId }, { ...message, messageId: null, referenceId }, reply)
    },
  )
}

async function send(
  sender: Sender,
  destination: Destination,
  message: Omit<Send, 'channelId' | 'messageFeedId'>,
  reply: Request<never, never, never>['reply'],
): Promise<EnvelopeAnswer> {
  requireContent(message.dataType, message.data, message.metadata)
  try {
    const place = await sender.locate(destination)
    return answer(await sender.send({ ...message, ...place }))
  } catch (error) {
    if (error instanceof TooFastError) reply.header('retry-after', Math.ceil(error.retryAfterMs / 1000))
    throw error
  }
}

type Content = Pick<CreateMessageV3Body, 'data' | 'metadata' | 'fileId' | 'parentId' | 'tags'>

/** What both forms of the request say alike. */
function compose({ data = {}, metadata = {}, fileId, parentId, tags = [] }: Content) {
  const { thumbnailFileId } = data
  return {
    data,
    metadata,
    fileId: fileId || null,
    thumbnailFileId: typeof thumbnailFileId === 'string' ? thumbnailFileId || null : null,
    parentId: parentId || null,
    tags,
  }
}

/** Everything the answer shows was written or read by the batch: nothing is read again. */
function answer({ message, isNew, feed, users, files }: Sent): EnvelopeAnswer {
  const untouched = new Map([[message.id, { myReactions: [] }]])
  return {
    roots: { messages: [message.id] },
    preloaded: {
      rows: {
        messages: new Map([[message.id, message]]),
        messageFeeds: new Map([[feed.id, feed]]),
        users,
        files,
      },
      ...(isNew && { states: { messages: untouched } }),
    },
  }
}
