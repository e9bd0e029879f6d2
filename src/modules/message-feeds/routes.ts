import type { Routes } from '../../kernel/http/routes.ts'
import { createMessageFeed, deleteMessageFeed, renameMessageFeed } from './actions.ts'
import { listChannelFeeds, listMessageFeeds, listUserFeeds, requireReadableFeed } from './queries.ts'
import { messageFeedShape } from './resource.ts'
import {
  ChannelIdParams,
  CreateMessageFeedBody,
  CreatorIdParams,
  DeleteMessageFeedQuery,
  FeedPageQuery,
  ListMessageFeedsQuery,
  MessageFeedIdParams,
  UpdateMessageFeedBody,
} from './schema.ts'

const tag = 'Message feed'
const answers = messageFeedShape
const ofFeed = (id: string) => ({ roots: { messageFeeds: [id] } })

export function messageFeedRoutes({ read, write }: Routes): void {
  write(
    'POST',
    '/api/v5/message-feeds',
    { summary: 'Add a message feed to a channel', tag, body: CreateMessageFeedBody, answers },
    async (tx, { viewer, body }) => ofFeed(await createMessageFeed(tx, viewer, body)),
  )
  read(
    'GET',
    '/api/v5/message-feeds/list',
    { summary: 'List message feeds by id', tag, query: ListMessageFeedsQuery, answers },
    async (db, { viewer, query }) => ({
      roots: { messageFeeds: await listMessageFeeds(db, viewer, query.messageFeedIds) },
    }),
  )
  read(
    'GET',
    '/api/v5/message-feeds/channel/:channelId',
    {
      summary: 'List the message feeds of a channel',
      tag,
      params: ChannelIdParams,
      query: FeedPageQuery,
      answers,
      paged: true,
    },
    async (db, { viewer, params, query }) => {
      const { rows, paging } = await listChannelFeeds(db, viewer, params.channelId, query)
      return { roots: { messageFeeds: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v5/message-feeds/user/:creatorId',
    {
      summary: 'List the message feeds a user made',
      tag,
      params: CreatorIdParams,
      query: FeedPageQuery,
      answers,
      paged: true,
    },
    async (db, { viewer, params, query }) => {
      const { rows, paging } = await listUserFeeds(db, viewer, params.creatorId, query)
      return { roots: { messageFeeds: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v5/message-feeds/:messageFeedId',
    { summary: 'Get a message feed', tag, params: MessageFeedIdParams, answers },
    async (db, { viewer, params }) =>
      ofFeed((await requireReadableFeed(db, viewer, params.messageFeedId)).feed.id),
  )
  write(
    'PUT',
    '/api/v5/message-feeds/:messageFeedId',
    {
      summary: 'Rename a message feed',
      tag,
      params: MessageFeedIdParams,
      body: UpdateMessageFeedBody,
      answers,
    },
    async (tx, { viewer, params, body }) =>
      ofFeed(await renameMessageFeed(tx, viewer, params.messageFeedId, body.name)),
  )
  write(
    'DELETE',
    '/api/v5/message-feeds/:messageFeedId',
    {
      summary: 'Delete a message feed',
      tag,
      params: MessageFeedIdParams,
      query: DeleteMessageFeedQuery,
      answers,
    },
    async (tx, { viewer, params }) => ofFeed(await deleteMessageFeed(tx, viewer, params.messageFeedId)),
  )
}
