import type { Routes } from '../../kernel/http/routes.ts'
import { requireSignedIn } from '../../kernel/viewer.ts'
import { updateUser } from './actions.ts'
import { queryUsers, resolveUserId, resolveUserIds } from './queries.ts'
import { userShape } from './resource.ts'
import { ListUsersQuery, QueryUsersQuery, UpdateUserBody, UserIdParams, UserIdQuery } from './schema.ts'

export function userRoutes({ read, write }: Routes): void {
  read(
    'GET',
    '/api/v3/users',
    { summary: 'Query users', tag: 'User', query: QueryUsersQuery, answers: userShape, paged: true },
    async (db, { viewer, query }) => {
      requireSignedIn(viewer) // Visitors and bots do not search people.
      const { rows, paging } = await queryUsers(db, query)
      return { roots: { users: rows.map((row) => row.id) }, paging }
    },
  )

  read(
    'GET',
    '/api/v3/users/list',
    { summary: 'List users by id', tag: 'User', query: ListUsersQuery, answers: userShape },
    async (db, { query }) => ({ roots: { users: await resolveUserIds(db, query.userIds, query.type) } }),
  )

  read(
    'GET',
    '/api/v3/users/:userId',
    { summary: 'Get a user', tag: 'User', params: UserIdParams, query: UserIdQuery, answers: userShape },
    async (db, { params, query }) => ({
      roots: { users: [await resolveUserId(db, params.userId, query.type)] },
    }),
  )

  write(
    'PUT',
    '/api/v3/users',
    { summary: 'Update a user', tag: 'User', body: UpdateUserBody, answers: userShape },
    async (tx, { viewer, body }) => ({ roots: { users: [await updateUser(tx, viewer, body)] } }),
  )
}
