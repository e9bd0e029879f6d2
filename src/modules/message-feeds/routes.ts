import type { Routes } from '../../kernel/http/routes.ts'
import { listChannelFeeds } from './queries.ts'
import { messageFeedShape } from './resource.ts'
import { ChannelFeedsQuery, ChannelIdParams } from './schema.ts'

const tag = 'Message feed'

export function messageFeedRoutes({ read }: Routes): void {
  read(
    'GET',
    '/api/v5/message-feeds/channel/:channelId',
    {
      summary: 'List the message feeds of a channel',
      tag,
      params: ChannelIdParams,
      query: ChannelFeedsQuery,
      answers: messageFeedShape,
      paged: true,
    },
    async (db, { viewer, params, query }) => {
      const { rows, paging } = await listChannelFeeds(db, viewer, params.channelId, query)
      return { roots: { messageFeeds: rows.map((row) => row.id) }, paging }
    },
  )
}
