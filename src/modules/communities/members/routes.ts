import { fail } from '../../../kernel/errors.ts'
import type { Routes } from '../../../kernel/http/routes.ts'
import { communityShape, membersShape } from '../resource.ts'
import { CommunityIdParams } from '../schema.ts'
import {
  addMembers,
  addRoles,
  banMembers,
  leaveCommunity,
  removeMembers,
  removeRoles,
  unbanMembers,
  type Members,
} from './actions.ts'
import { membershipId } from './id.ts'
import { findMyPermissions, queryMembers } from './queries.ts'
import {
  AddRoleBody,
  AddRolesBody,
  BanBody,
  MyPermissions,
  NamedPeople,
  NamedRole,
  NamedRoles,
  PeopleBody,
  QueryMembersQuery,
} from './schema.ts'

const tag = 'Community'
const path = '/api/v3/communities/:communityId/users'
const params = CommunityIdParams

export function memberRoutes({ read, write }: Routes): void {
  write(
    'DELETE',
    '/api/v3/communities/:communityId/leave',
    { summary: 'Leave a community', tag, params, answers: communityShape },
    async (tx, { viewer, params: { communityId } }) => ({
      roots: { communities: [await leaveCommunity(tx, viewer, communityId)] },
    }),
  )

  read(
    'GET',
    path,
    { summary: 'Query members', tag, params, query: QueryMembersQuery, answers: membersShape, paged: true },
    async (db, { viewer, params: { communityId }, query }) => {
      const { rows, paging, ...page } = await queryMembers(db, viewer, communityId, query)
      return { ...membersAnswer({ ...page, userIds: rows.map((row) => row.userId) }), paging }
    },
  )

  write(
    'POST',
    path,
    { summary: 'Add members', tag, params, body: PeopleBody, answers: membersShape },
    async (tx, { viewer, params: { communityId }, body }) =>
      membersAnswer(await addMembers(tx, viewer, communityId, body.userIds)),
  )

  write(
    'DELETE',
    path,
    { summary: 'Remove members', tag, params, query: NamedPeople, body: NamedPeople, answers: membersShape },
    async (tx, { viewer, params: { communityId }, query, body }) =>
      membersAnswer(
        await removeMembers(tx, viewer, communityId, given('userIds', body.userIds ?? query.userIds)),
      ),
  )

  write(
    'PUT',
    `${path}/ban`,
    { summary: 'Ban people', tag, params, body: BanBody, answers: membersShape },
    async (tx, { viewer, params: { communityId }, body }) =>
      membersAnswer(await banMembers(tx, viewer, communityId, body.userIds)),
  )

  write(
    'PUT',
    `${path}/unban`,
    { summary: 'Lift bans', tag, params, body: BanBody, answers: membersShape },
    async (tx, { viewer, params: { communityId }, body }) =>
      membersAnswer(await unbanMembers(tx, viewer, communityId, body.userIds)),
  )

  write(
    'POST',
    `${path}/roles`,
    {
      summary: 'Give members a role',
      tag,
      params,
      body: AddRoleBody,
      answers: membersShape,
      deprecated: true,
    },
    async (tx, { viewer, params: { communityId }, body: { role, userIds } }) =>
      membersAnswer(await addRoles(tx, viewer, communityId, { roles: [role], userIds })),
  )

  write(
    'DELETE',
    `${path}/roles`,
    {
      summary: 'Take a role from members',
      tag,
      params,
      query: NamedRole,
      body: NamedRole,
      answers: membersShape,
      deprecated: true,
    },
    async (tx, { viewer, params: { communityId }, query, body }) =>
      membersAnswer(
        await removeRoles(tx, viewer, communityId, {
          roles: [given('role', body.role ?? query.role)],
          userIds: given('userIds', body.userIds ?? query.userIds),
        }),
      ),
  )

  write(
    'POST',
    '/api/v4/communities/:communityId/users/roles',
    { summary: 'Give members roles', tag, params, body: AddRolesBody, answers: membersShape },
    async (tx, { viewer, params: { communityId }, body }) =>
      membersAnswer(await addRoles(tx, viewer, communityId, body)),
  )

  write(
    'DELETE',
    '/api/v4/communities/:communityId/users/roles',
    {
      summary: 'Take roles from members',
      tag,
      params,
      query: NamedRoles,
      body: NamedRoles,
      answers: membersShape,
    },
    async (tx, { viewer, params: { communityId }, query, body }) =>
      membersAnswer(
        await removeRoles(tx, viewer, communityId, {
          roles: given('roles', body.roles ?? query.roles),
          userIds: given('userIds', body.userIds ?? query.userIds),
        }),
      ),
  )

  read(
    'GET',
    '/api/v3/communities/:communityId/permissions/me',
    { summary: "Get one's permissions", tag, params, answers: { schema: MyPermissions } },
    async (db, { viewer, params: { communityId } }) => ({
      body: await findMyPermissions(db, viewer, communityId),
    }),
  )
}

/** The memberships in the order asked for; the community comes first among the roots, whoever is in the list. */
function membersAnswer({ communityId, userIds }: Members) {
  return {
    roots: {
      communities: [communityId],
      communityUsers: userIds.map((userId) => membershipId(communityId, userId)),
    },
  }
}

function given<T>(name: string, value: T | undefined): T {
  return value ?? fail('invalid', `${name} is required`)
}
