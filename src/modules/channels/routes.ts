import type { Routes } from '../../kernel/http/routes.ts'
import { createChannel, createConversation, updateChannel, type Attachments } from './actions.ts'
import { joinChannel, leaveChannel } from './member-actions.ts'
import { listVisibleChannels, requireVisibleChannel } from './queries.ts'
import { channelShape } from './resource.ts'
import {
  ChannelIdParams,
  CreateChannelBody,
  CreateConversationBody,
  ListChannelsQuery,
  UpdateChannelBody,
} from './schema.ts'

const tag = 'Channel'

export function channelRoutes({ read, write }: Routes, attachments: Attachments): void {
  write(
    'POST',
    '/api/v3/channels',
    { summary: 'Create a channel', tag, body: CreateChannelBody, answers: channelShape },
    async (tx, { viewer, body }) => ({ roots: { channels: [await createChannel(tx, viewer, body, attachments)] } }),
  )
  write(
    'POST',
    '/api/v3/channels/conversation',
    { summary: 'Create or find a conversation', tag, body: CreateConversationBody, answers: channelShape },
    async (tx, { viewer, body }) => ({ roots: { channels: [await createConversation(tx, viewer, body)] } }),
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
    { summary: 'Get a channel', tag, params: ChannelIdParams, answers: channelShape },
    async (db, { viewer, params }) => ({
      roots: { channels: [(await requireVisibleChannel(db, viewer, params.channelId)).channel.id] },
    }),
  )
  write(
    'PUT',
    '/api/v3/channels/:channelId',
    { summary: 'Update a channel', tag, params: ChannelIdParams, body: UpdateChannelBody, answers: channelShape },
    async (tx, { viewer, params, body }) => ({
      roots: { channels: [await updateChannel(tx, viewer, params.channelId, body)] },
    }),
  )
  write(
    'POST',
    '/api/v3/channels/:channelId/join',
    { summary: 'Join a channel', tag, params: ChannelIdParams, answers: channelShape },
    async (tx, { viewer, params }) => ({ roots: { channels: [await joinChannel(tx, viewer, params.channelId)] } }),
  )
  write(
    'DELETE',
    '/api/v3/channels/:channelId/leave',
    { summary: 'Leave a channel', tag, params: ChannelIdParams, answers: channelShape },
    async (tx, { viewer, params }) => ({ roots: { channels: [await leaveChannel(tx, viewer, params.channelId)] } }),
  )
}
