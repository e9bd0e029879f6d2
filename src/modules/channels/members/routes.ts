import type { EnvelopeAnswer, Routes } from '../../../kernel/http/routes.ts'
import { fail } from '../../../kernel/errors.ts'
import { changeMembersRole, muteMembers } from '../moderation.ts'
import { channelShape, channelWithMembersShape } from '../resource.ts'
import { membershipId } from './id.ts'
import {
  ChannelIdParams,
  MembersBody,
  MembersQuery,
  MuteMembersBody,
  QueryMembersQuery,
  QueryMembersV4Query,
  RoleBody,
  RoleQuery,
} from '../schema.ts'
import { Success } from '../../../kernel/schema.ts'
import { addMembers, joinChannel, leaveChannel, removeMembers, type Concerned } from './actions.ts'
import { queryMembers, searchMembers, type MemberPage } from './queries.ts'

const tag = 'Channel'
const params = ChannelIdParams

export function memberRoutes({ read, write }: Routes): void {
  write(
    'POST',
    '/api/v3/channels/:channelId/join',
    { summary: 'Join a channel', tag, params, answers: channelShape },
    async (tx, { viewer, params }) => ({
      roots: { channels: [await joinChannel(tx, viewer, params.channelId)] },
    }),
  )
  write(
    'DELETE',
    '/api/v3/channels/:channelId/leave',
    { summary: 'Leave a channel', tag, params, answers: channelShape },
    async (tx, { viewer, params }) => ({
      roots: { channels: [await leaveChannel(tx, viewer, params.channelId)] },
    }),
  )
  write(
    'POST',
    '/api/v3/channels/:channelId/users',
    { summary: 'Add members', tag, params, body: MembersBody, answers: channelShape },
    async (tx, { viewer, params, body }) =>
      concernedAnswer(await addMembers(tx, viewer, params.channelId, body.userIds)),
  )
  write(
    'DELETE',
    '/api/v3/channels/:channelId/users',
    {
      summary: 'Remove members',
      tag,
      params,
      query: MembersQuery,
      body: MembersQuery,
      answers: channelShape,
    },
    async (tx, { viewer, params, query, body }) => {
      const userIds = body.userIds ?? query.userIds ?? fail('invalid', 'userIds')
      return concernedAnswer(await removeMembers(tx, viewer, params.channelId, userIds))
    },
  )
  read(
    'GET',
    '/api/v3/channels/:channelId/users',
    {
      summary: 'Query the members of a channel',
      tag,
      params,
      query: QueryMembersQuery,
      answers: channelWithMembersShape,
      paged: true,
    },
    async (db, { viewer, params, query }) =>
      pageAnswer(await queryMembers(db, viewer, params.channelId, query)),
  )
  read(
    'GET',
    '/api/v4/channels/:channelId/users',
    {
      summary: 'Query or search the members of a channel',
      tag,
      params,
      query: QueryMembersV4Query,
      answers: channelWithMembersShape,
      paged: true,
    },
    async (db, { viewer, params, query }) =>
      pageAnswer(await searchMembers(db, viewer, params.channelId, query)),
  )
  write(
    'POST',
    '/api/v3/channels/:channelId/users/roles',
    { summary: 'Give members a role', tag, params, body: RoleBody, answers: channelShape },
    async (tx, { viewer, params, body }) =>
      concernedAnswer(
        await changeMembersRole(tx, viewer, params.channelId, body.userIds, { add: body.role }),
      ),
  )
  write(
    'DELETE',
    '/api/v3/channels/:channelId/users/roles',
    {
      summary: 'Take a role from members',
      tag,
      params,
      query: RoleQuery,
      body: RoleQuery,
      answers: channelShape,
    },
    async (tx, { viewer, params, query, body }) => {
      const { userIds, role } = { ...query, ...body }
      if (!userIds || !role) return fail('invalid', 'userIds and role')
      return concernedAnswer(await changeMembersRole(tx, viewer, params.channelId, userIds, { remove: role }))
    },
  )
  write(
    'PUT',
    '/api/v2/channel/:channelId/users/mute',
    {
      summary: 'Mute members, or let them speak again',
      tag,
      params,
      body: MuteMembersBody,
      answers: { schema: Success },
    },
    async (tx, { viewer, params, body }) => {
      await muteMembers(tx, viewer, params.channelId, body.userIds, body.mutePeriod)
      return { body: { success: true } }
    },
  )
}

/** The channel, with the memberships that changed. */
export function concernedAnswer({ id, userIds }: Concerned): EnvelopeAnswer {
  return { roots: { channels: [id], channelUsers: userIds.map((userId) => membershipId(id, userId)) } }
}

function pageAnswer({ channelId, userIds, paging }: MemberPage): EnvelopeAnswer {
  // The page comes first: its order is the one asked for.
  const channelUsers = userIds.map((userId) => membershipId(channelId, userId))
  return { roots: { channelUsers, channels: [channelId] }, paging }
}
