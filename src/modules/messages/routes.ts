import type { EnvelopeAnswer, Request, Routes } from '../../kernel/http/routes.ts'
import type { Db } from '../../kernel/database.ts'
import { requireContent } from './content.ts'
import { listReadableMessages, queryMessages } from './queries.ts'
import { messageCreatedShape, messageShape, messageV3Shape } from './resource.ts'
import {
  CreateMessageBody,
  CreateMessageV3Body,
  ListMessagesQuery,
  QueryMessagesQuery,
} from './schema.ts'
import { createSender, type Sender } from './sender.ts'
import { TooFastError } from './send-checks.ts'
import type { Send, Sent } from './send.ts'

const tag = 'Message'

export function messageRoutes({ read, grouped }: Routes): void {
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
      const { channelId, type = 'text', mentionees = [], ...rest } = body
      requireContent(type, rest.data ?? {}, rest.metadata ?? {})
      const sender = senderOf(db)
      const place = await sender.locate({ channelId })
      const sent = await sender
        .send({ ...composeSend(rest), viewer, ...place, messageId: rest.messageId ?? null, referenceId: null, dataType: type, mentions: mentionees })
        .catch((error: unknown) => tooFast(error, reply))
      return answer(sent)
    },
  )
  grouped(
    'POST',
    '/api/v5/messages',
    { summary: 'Create a message in a message feed', tag, body: CreateMessageBody, answers: messageCreatedShape },
    async (db, { viewer, body, reply }) => {
      const { messageFeedId, dataType, mentionedUsers = [], ...rest } = body
      requireContent(dataType, rest.data ?? {}, rest.metadata ?? {})
      const sender = senderOf(db)
      const place = await sender.locate({ messageFeedId })
      const sent = await sender
        .send({ ...composeSend(rest), viewer, ...place, messageId: null, referenceId: rest.referenceId ?? null, dataType, mentions: mentionedUsers })
        .catch((error: unknown) => tooFast(error, reply))
      return answer(sent)
    },
  )
  read(
    'GET',
    '/api/v5/messages/list',
    { summary: 'List messages by id', tag, query: ListMessagesQuery, answers: messageShape },
    async (db, { viewer, query }) => ({
      roots: { messages: await listReadableMessages(db, viewer, query.messageIds) },
    }),
  )
  read(
    'GET',
    '/api/v5/messages',
    { summary: 'Query the messages of a feed', tag, query: QueryMessagesQuery, answers: messageShape, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryMessages(db, viewer, query)
      return { roots: { messages: rows.map((row) => row.id) }, paging }
    },
  )
}

type Content = Pick<CreateMessageV3Body, 'data' | 'metadata' | 'fileId' | 'parentId' | 'tags'>

/** What both forms of the request say alike. */
function composeSend({ data = {}, metadata = {}, fileId, parentId, tags = [] }: Content) {
  const { thumbnailFileId } = data
  return {
    data,
    metadata,
    fileId: fileId || null,
    thumbnailFileId: typeof thumbnailFileId === 'string' ? thumbnailFileId || null : null,
    parentId: parentId || null,
    tags,
  } satisfies Partial<Send>
}

/** Everything the answer shows was written or read by the batch: nothing is read again. */
function answer({ message, isNew, feed, users, files }: Sent): EnvelopeAnswer {
  const fresh = { myReactions: [] }
  return {
    roots: { messages: [message.id] },
    preloaded: {
      rows: {
        messages: new Map([[message.id, message]]),
        messageFeeds: new Map([[feed.id, feed]]),
        users,
        files,
      },
      ...(isNew && { states: { messages: new Map([[message.id, fresh]]) } }),
    },
  }
}

function tooFast(error: unknown, reply: Request<never, never, never>['reply']): never {
  if (error instanceof TooFastError) reply.header('retry-after', Math.ceil(error.retryAfterMs / 1000))
  throw error
}
