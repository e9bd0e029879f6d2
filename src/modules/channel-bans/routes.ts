import type { Routes } from '../../kernel/http/routes.ts'
import { channelWithMembersShape, ChannelIdParams, concernedAnswer, MembersBody } from '../channels/index.ts'
import { banMembers, unbanMembers, type BanFollower } from './actions.ts'

export function channelBanRoutes({ write }: Routes, followers: BanFollower[]): void {
  const operations = [
    ['ban', 'Ban members', banMembers],
    ['unban', 'Lift bans', unbanMembers],
  ] as const
  for (const [name, summary, act] of operations)
    write(
      'PUT',
      `/api/v3/channels/:channelId/users/${name}`,
      {
        summary,
        tag: 'Channel',
        params: ChannelIdParams,
        body: MembersBody,
        answers: channelWithMembersShape,
      },
      async (tx, { viewer, params, body }) =>
        concernedAnswer(await act(tx, viewer, params.channelId, body.userIds, followers)),
    )
}
