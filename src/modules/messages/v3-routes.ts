import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import { FlagBody } from '../flags/index.ts'
import { deleteMessage, editMessage } from './actions.ts'
import { clearMessageFlags, flagMessage, unflagMessage } from './flagging.ts'
import { findReadablePlaces, queryChannelMessages, requireReadableMessage } from './queries.ts'
import { messageV3Shape } from './resource.ts'
import { ListMessagesV3Query, MessageIdParams, QueryMessagesV3Query, UpdateMessageV3Body } from './schema.ts'

const tag = 'Message'
const params = MessageIdParams
const answers = messageV3Shape
const ofMessage = (id: string) => ({ roots: { messages: [id] } })

/** The older operations: the same actions and queries, in the older form. */
export function messageV3Routes({ read, write }: Routes): void {
  read(
    'GET',
    '/api/v3/messages',
    { summary: 'Query the messages of a channel', tag, query: QueryMessagesV3Query, answers, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryChannelMessages(db, viewer, query)
      return { roots: { messages: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v3/messages/list',
    { summary: 'List messages by id (older form)', tag, query: ListMessagesV3Query, answers },
    async (db, { viewer, query }) => {
      const places = await findReadablePlaces(db, viewer, query.messageIds)
      return { roots: { messages: places.map((place) => place.id) } }
    },
  )
  read(
    'GET',
    '/api/v3/messages/:messageId',
    { summary: 'Get a message (older form)', tag, params, answers },
    async (db, { viewer, params }) =>
      ofMessage((await requireReadableMessage(db, viewer, params.messageId)).id),
  )
  write(
    'PUT',
    '/api/v3/messages/:messageId',
    {
      summary: 'Edit a message (older form)',
      tag,
      params,
      body: UpdateMessageV3Body,
      answers,
      prehook: 'message.shouldUpdate',
    },
    async (tx, { viewer, params, body: { mentionees, ...changes } }) =>
      ofMessage(await editMessage(tx, viewer, params.messageId, { ...changes, mentions: mentionees })),
  )
  write(
    'DELETE',
    '/api/v3/messages/:messageId',
    {
      summary: 'Delete a message (older form)',
      tag,
      params,
      answers: { schema: Type.Object({ status: Type.String(), data: Success, ...Success.properties }) },
    },
    async (tx, { viewer, params }) => {
      await deleteMessage(tx, viewer, params.messageId)
      return { body: { status: 'success', data: { success: true }, success: true } }
    },
  )
  write(
    'POST',
    '/api/v3/messages/:messageId/flag',
    { summary: 'Flag a message (older form)', tag, params, body: FlagBody, answers },
    async (tx, { viewer, params, body }) => ofMessage(await flagMessage(tx, viewer, params.messageId, body)),
  )
  write(
    'DELETE',
    '/api/v3/messages/:messageId/unflag',
    { summary: 'Take back the flag of a message (older form)', tag, params, answers },
    async (tx, { viewer, params }) => ofMessage(await unflagMessage(tx, viewer, params.messageId)),
  )
  write(
    'DELETE',
    '/api/v3/messages/:messageId/clearFlags',
    { summary: 'Clear the flags of a message (older form)', tag, params, answers },
    async (tx, { viewer, params }) => ofMessage(await clearMessageFlags(tx, viewer, params.messageId)),
  )
}
