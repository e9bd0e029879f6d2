import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import {
  archiveChannel,
  closeChannel,
  createChannel,
  createConversation,
  deleteChannel,
  updateChannel,
  type Attachments,
} from './actions.ts'
import { muteChannel, setRateLimit } from './moderation.ts'
import { listVisibleChannels, queryChannels, requireVisibleChannel, searchChannels } from './queries.ts'
import { channelShape } from './resource.ts'
import {
  ChannelIdParams,
  CreateChannelBody,
  CreateConversationBody,
  ListChannelsQuery,
  MuteChannelBody,
  QueryChannelsQuery,
  RateLimitBody,
  SearchChannelsQuery,
  SearchExtra,
  UpdateChannelBody,
} from './schema.ts'

const tag = 'Channel'
const params = ChannelIdParams

export function channelRoutes({ read, write }: Routes, attachments: Attachments): void {
  write(
    'POST',
    '/api/v3/channels',
    { summary: 'Create a channel', tag, body: CreateChannelBody, answers: channelShape },
    async (tx, { viewer, body }) => ({
      roots: { channels: [await createChannel(tx, viewer, body, attachments)] },
    }),
  )
  write(
    'POST',
    '/api/v3/channels/conversation',
    { summary: 'Create or find a conversation', tag, body: CreateConversationBody, answers: channelShape },
    async (tx, { viewer, body }) => ({ roots: { channels: [await createConversation(tx, viewer, body)] } }),
  )
  read(
    'GET',
    '/api/v3/channels',
    { summary: 'Query channels', tag, query: QueryChannelsQuery, answers: channelShape, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryChannels(db, viewer, query)
      return { roots: { channels: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v2/search/channels',
    {
      summary: 'Search channels by name',
      tag,
      query: SearchChannelsQuery,
      answers: channelShape,
      extra: SearchExtra,
      paged: true,
      wrapped: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging, totalCount, search } = await searchChannels(db, viewer, query)
      return { roots: { channels: rows.map((row) => row.id) }, paging, extra: { totalCount, search } }
    },
  )
  read(
    'GET',
    '/api/v3/channels/list',
    { summary: 'List channels by id', tag, query: ListChannelsQuery, answers: channelShape },
    async (db, { viewer, query }) => ({
      roots: { channels: await listVisibleChannels(db, viewer, query.channelIds) },
    }),
  )
  read(
    'GET',
    '/api/v3/channels/:channelId',
    { summary: 'Get a channel', tag, params, answers: channelShape },
    async (db, { viewer, params }) => ({
      roots: { channels: [(await requireVisibleChannel(db, viewer, params.channelId)).channel.id] },
    }),
  )
  write(
    'PUT',
    '/api/v3/channels/:channelId',
    { summary: 'Update a channel', tag, params, body: UpdateChannelBody, answers: channelShape },
    async (tx, { viewer, params, body }) => ({
      roots: { channels: [await updateChannel(tx, viewer, params.channelId, body)] },
    }),
  )
  write(
    'DELETE',
    '/api/v3/channels/:channelId',
    {
      summary: 'Delete a channel',
      tag,
      params,
      answers: { schema: Type.Object({ status: Type.String(), data: Success, ...Success.properties }) },
    },
    async (tx, { viewer, params }) => {
      await deleteChannel(tx, viewer, params.channelId)
      return { body: { status: 'success', data: { success: true }, success: true } }
    },
  )
  write(
    'POST',
    '/api/v2/channels/:channelId/close',
    { summary: 'Close a channel', tag, params, answers: channelShape },
    async (tx, { viewer, params }) => ({
      roots: { channels: [await closeChannel(tx, viewer, params.channelId)] },
    }),
  )
  write(
    'PUT',
    '/api/v2/channel/:channelId/mute',
    {
      summary: 'Mute a channel, or end that',
      tag,
      params,
      body: MuteChannelBody,
      answers: { schema: Success },
    },
    async (tx, { viewer, params, body }) => {
      await muteChannel(tx, viewer, params.channelId, body.mutePeriod)
      return { body: { success: true } }
    },
  )
  write(
    'PUT',
    '/api/v3/channels/:channelId/rate-limit',
    {
      summary: 'Set or end the slow mode of a channel',
      tag,
      params,
      body: RateLimitBody,
      answers: channelShape,
    },
    async (tx, { viewer, params, body }) => ({
      roots: { channels: [await setRateLimit(tx, viewer, params.channelId, body)] },
    }),
  )
  for (const [method, archived] of [
    ['POST', true],
    ['DELETE', false],
  ] as const)
    write(
      method,
      '/api/v3/channels/:channelId/archive',
      {
        summary: archived ? 'Put a conversation away' : 'Take a conversation out of the archive',
        tag,
        params,
        answers: channelShape,
      },
      async (tx, { viewer, params }) => ({
        roots: { channels: [await archiveChannel(tx, viewer, params.channelId, archived)] },
      }),
    )
}
