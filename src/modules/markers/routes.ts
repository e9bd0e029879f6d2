import { Type } from 'typebox'
import { shape } from '../../kernel/envelope/shape.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { StringList } from '../../kernel/schema.ts'
import { settleReading } from './actions.ts'
import { presentUserMarker } from './present.ts'
import {
  changedMarkers,
  channelFeedMarkers,
  channelMarkers,
  listReaders,
  messageFeedMarkers,
  messageMarkers,
} from './queries.ts'
import { markerShape } from './resource.ts'
import {
  ChannelMarkersQuery,
  FeedMarkersQuery,
  MessageIdParams,
  MessageMarkersQuery,
  ReadersQuery,
  SyncBody,
  UserMarker,
} from './schema.ts'

const tag = 'Marker'
const answers = markerShape

export function markerRoutes({ read, write }: Routes): void {
  read(
    'GET',
    '/api/v1/markers/userMarker',
    { summary: 'Get what the user has before them in all channels', tag, answers },
    async (_db, { viewer }) => ({ roots: { userMarkers: [viewer.id] } }),
  )
  read(
    'GET',
    '/api/v1/markers/channels',
    { summary: 'Get the markers of channels', tag, query: ChannelMarkersQuery, answers },
    async (db, { viewer, query }) => ({ roots: await channelMarkers(db, viewer, query.channelIds) }),
  )
  read(
    'GET',
    '/api/v1/markers/user-message-feed',
    { summary: 'Get the markers of all message feeds of channels', tag, query: ChannelMarkersQuery, answers },
    async (db, { viewer, query }) => ({ roots: await channelFeedMarkers(db, viewer, query.channelIds) }),
  )
  read(
    'GET',
    '/api/v1/markers/message-feeds',
    { summary: 'Get the markers of message feeds', tag, query: FeedMarkersQuery, answers, paged: true },
    async (db, { viewer, query }) =>
      messageFeedMarkers(db, viewer, query.messageFeedIds, query.options?.token),
  )
  read(
    'GET',
    '/api/v1/markers/messages',
    { summary: 'Get how many have read messages', tag, query: MessageMarkersQuery, answers },
    async (db, { viewer, query }) => ({ roots: await messageMarkers(db, viewer, query.messageIds) }),
  )
  write(
    'POST',
    '/api/v1/markers/sync',
    {
      summary: 'Get the markers that changed since a device last looked',
      tag,
      body: SyncBody,
      answers: shape('userEntityMarkers', 'userFeedMarkers', 'feedMarkers', 'contentMarkers'),
      extra: { userMarkers: Type.Array(UserMarker) },
    },
    async (tx, { viewer, body }) => {
      await settleReading(tx, viewer)
      const since = body.deviceLastSyncAt === undefined ? undefined : new Date(body.deviceLastSyncAt)
      const { roots, own } = await changedMarkers(tx, viewer, since)
      return { roots, extra: { userMarkers: own.map(presentUserMarker) } }
    },
  )

  for (const [path, kind, summary] of [
    ['read-users', 'read', 'List who has read a message'],
    ['delivered-users', 'delivered', 'List who has received a message'],
  ] as const)
    read(
      'GET',
      `/api/v1/markers/messages/:messageId/${path}`,
      {
        summary,
        tag,
        params: MessageIdParams,
        query: ReadersQuery,
        answers: shape(markerShape, 'users', 'files'),
        extra: { publicUserIds: StringList },
        paged: true,
      },
      async (db, { viewer, params, query }) => {
        const { publicUserIds, ...page } = await listReaders(db, viewer, params.messageId, kind, query)
        return { ...page, extra: { publicUserIds } }
      },
    )
}
