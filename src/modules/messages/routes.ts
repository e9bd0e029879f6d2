import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'
import { FlagBody, FlaggedByMe, findFlagged, presentFlaggedByMe } from '../flags/index.ts'
import { deleteMessage, editMessage } from './actions.ts'
import { clearMessageFlags, flagMessage, unflagMessage } from './flagging.ts'
import { presentMessageV3 } from './present.ts'
import {
  findReadablePlaces,
  listMostReacted,
  queryMessages,
  queryUserMessages,
  requireReadableMessage,
  searchMessages,
} from './queries.ts'
import { messageShape } from './resource.ts'
import {
  CreatorIdParams,
  DeleteMessageQuery,
  ListMessagesQuery,
  MessageIdParams,
  MessageV3,
  MostReactedQuery,
  QueryMessagesQuery,
  SearchExtra,
  SearchMessagesQuery,
  UpdateMessageBody,
  UserMessagesQuery,
} from './schema.ts'

const tag = 'Message'
const params = MessageIdParams
const answers = messageShape
const ofMessage = (id: string) => ({ roots: { messages: [id] } })

export function messageRoutes({ read, write }: Routes): void {
  read(
    'GET',
    '/api/v5/messages',
    { summary: 'Query the messages of a feed', tag, query: QueryMessagesQuery, answers, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryMessages(db, viewer, query)
      return { roots: { messages: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v5/messages/list',
    { summary: 'List messages by id', tag, query: ListMessagesQuery, answers },
    async (db, { viewer, query }) => {
      const places = await findReadablePlaces(db, viewer, query.messageIds)
      return { roots: { messages: places.map((place) => place.id) } }
    },
  )
  read(
    'GET',
    '/api/v5/messages/user/:creatorId',
    {
      summary: 'Query what a user wrote',
      tag,
      params: CreatorIdParams,
      query: UserMessagesQuery,
      answers,
      paged: true,
    },
    async (db, { viewer, params, query }) => {
      const { rows, paging } = await queryUserMessages(db, viewer, params.creatorId, query)
      return { roots: { messages: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v2/search/messages',
    {
      summary: 'Search messages by the words they hold',
      tag,
      query: SearchMessagesQuery,
      answers,
      extra: SearchExtra,
      paged: true,
      wrapped: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging, search } = await searchMessages(db, viewer, query)
      return { roots: { messages: rows.map((row) => row.id) }, paging, extra: { search } }
    },
  )
  read(
    'GET',
    '/api/v2/reactions/messages/most',
    {
      summary: 'List the messages with the most reactions',
      tag,
      query: MostReactedQuery,
      answers: { schema: Type.Array(MessageV3) },
    },
    async (db, { viewer, query }) => {
      const rows = await listMostReacted(db, viewer, query.limit ?? 10, query.reactionName)
      return { body: rows.map((row) => presentMessageV3(row, undefined)) }
    },
  )
  read(
    'GET',
    '/api/v5/messages/:messageId',
    { summary: 'Get a message', tag, params, answers },
    async (db, { viewer, params }) =>
      ofMessage((await requireReadableMessage(db, viewer, params.messageId)).id),
  )
  write(
    'PUT',
    '/api/v5/messages/:messageId',
    {
      summary: 'Edit a message',
      tag,
      params,
      body: UpdateMessageBody,
      answers,
      prehook: 'message.shouldUpdate',
    },
    async (tx, { viewer, params, body: { mentionedUsers, ...changes } }) =>
      ofMessage(await editMessage(tx, viewer, params.messageId, { ...changes, mentions: mentionedUsers })),
  )
  write(
    'DELETE',
    '/api/v5/messages/:messageId',
    { summary: 'Delete a message', tag, params, query: DeleteMessageQuery, answers },
    async (tx, { viewer, params, query: { permanent = false } }) =>
      ofMessage(await deleteMessage(tx, viewer, params.messageId, { permanent })),
  )
  write(
    'POST',
    '/api/v5/messages/:messageId/flags',
    { summary: 'Flag a message', tag, params, body: FlagBody, answers },
    async (tx, { viewer, params, body }) => ofMessage(await flagMessage(tx, viewer, params.messageId, body)),
  )
  write(
    'DELETE',
    '/api/v5/messages/:messageId/flags',
    { summary: 'Take back the flag of a message', tag, params, answers },
    async (tx, { viewer, params }) => ofMessage(await unflagMessage(tx, viewer, params.messageId)),
  )
  write(
    'DELETE',
    '/api/v5/messages/:messageId/flags/all',
    { summary: 'Clear the flags of a message', tag, params, answers },
    async (tx, { viewer, params }) => ofMessage(await clearMessageFlags(tx, viewer, params.messageId)),
  )
  for (const path of ['/api/v5/messages/:messageId/flags', '/api/v3/messages/:messageId/isFlaggedByMe'])
    read(
      'GET',
      path,
      { summary: 'Whether the viewer flagged a message', tag, params, answers: { schema: FlaggedByMe } },
      async (db, { viewer, params }) => {
        const { id } = await requireReadableMessage(db, viewer, params.messageId)
        const flagged = await findFlagged(db, 'message', [id], viewer.id)
        return { body: presentFlaggedByMe(flagged.has(id)) }
      },
    )
}
