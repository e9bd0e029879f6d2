import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import {
  keepReading,
  markChannelsRead,
  markFeedDelivered,
  markFeedRead,
  startReading,
  stopReading,
  type FeedRef,
} from './actions.ts'
import { feedsOf, findOwnChannels, findOwnFeeds, requireOwnChannel } from './queries.ts'
import { markerShape } from './resource.ts'
import { feedRootsOf } from './roots.ts'
import {
  ChannelIdParams,
  MarkChannelReadBody,
  MarkDeliveringBody,
  MarkReadBody,
  MessageFeedIdParams,
  ReadingBody,
  SeenBody,
} from './schema.ts'

const tag = 'Marker'
const answers = markerShape
const ofFeeds = (viewer: { id: string }, feeds: FeedRef[]) => ({ roots: feedRootsOf(viewer.id, feeds) })

/** What people say they have read and received. */
export function markRoutes({ write }: Routes): void {
  write(
    'POST',
    '/api/v3/channels/seen',
    { summary: 'Mark channels as read', tag: 'Channel', body: SeenBody, answers: { schema: Success } },
    async (tx, { viewer, body }) => {
      // Sent every second by those who scroll, also about channels they have just left or not named: those are left out.
      await markChannelsRead(tx, viewer, await findOwnChannels(tx, viewer, body.channels))
      return { body: { success: true } }
    },
  )
  write(
    'POST',
    '/api/v3/channels/:channelId/seen',
    {
      summary: 'Mark a channel as read',
      tag: 'Channel',
      params: ChannelIdParams,
      body: MarkReadBody,
      answers: { schema: Success },
    },
    async (tx, { viewer, params, body }) => {
      const channel = await requireOwnChannel(tx, viewer, params.channelId, ['public'])
      await markChannelsRead(tx, viewer, [{ channelId: channel.id, segment: body.readToSegment }])
      return { body: { success: true } }
    },
  )
  write(
    'PUT',
    '/api/v1/markers/channels/:channelId/mark-read',
    { summary: 'Mark a channel as read', tag, params: ChannelIdParams, body: MarkChannelReadBody, answers },
    async (tx, { viewer, params, body }) => {
      const channel = await requireOwnChannel(tx, viewer, params.channelId, ['internal', 'public'])
      const segment = body.readToSegment ?? channel.messageCount
      await markChannelsRead(tx, viewer, [{ channelId: channel.id, segment }])
      return ofFeeds(viewer, await feedsOf(tx, channel.id))
    },
  )
  write(
    'PUT',
    '/api/v1/markers/message-feeds/:messageFeedId/mark-read',
    {
      summary: 'Mark a message feed as read',
      tag,
      params: MessageFeedIdParams,
      body: MarkReadBody,
      answers,
    },
    async (tx, { viewer, params, body }) =>
      ofFeeds(viewer, [await markFeedRead(tx, viewer, params.messageFeedId, body.readToSegment)]),
  )
  write(
    'PUT',
    '/api/v1/markers/message-feeds/:messageFeedId/mark-delivering',
    {
      summary: 'Mark a message feed as received',
      tag,
      params: MessageFeedIdParams,
      body: MarkDeliveringBody,
      answers,
    },
    async (tx, { viewer, params, body }) =>
      ofFeeds(viewer, [await markFeedDelivered(tx, viewer, params.messageFeedId, body.messageId)]),
  )
  write(
    'POST',
    '/api/v1/markers/message-feeds/reading',
    { summary: 'Go on reading message feeds', tag, body: ReadingBody, answers },
    async (tx, { viewer, body }) => {
      const feeds = await findOwnFeeds(tx, viewer, body.messageFeedIds)
      await keepReading(tx, viewer, feeds)
      return ofFeeds(viewer, feeds)
    },
  )
  write(
    'POST',
    '/api/v1/markers/message-feeds/:messageFeedId/start-reading',
    { summary: 'Start reading a message feed', tag, params: MessageFeedIdParams, answers },
    async (tx, { viewer, params }) => ofFeeds(viewer, [await startReading(tx, viewer, params.messageFeedId)]),
  )
  // The description and the clients spell it differently.
  for (const stop of ['stop-reading', 'stop-readings'])
    write(
      'POST',
      `/api/v1/markers/message-feeds/:messageFeedId/${stop}`,
      { summary: 'Stop reading a message feed', tag, params: MessageFeedIdParams, answers },
      async (tx, { viewer, params }) =>
        ofFeeds(viewer, [await stopReading(tx, viewer, params.messageFeedId)]),
    )
}
