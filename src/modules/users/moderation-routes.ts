import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import { findFlagged, FlagBody, FlaggedByMe, presentFlaggedByMe } from '../flags/index.ts'
import { inTransaction } from '../../kernel/database.ts'
import { clearBriefly, type Clearer } from './clearing.ts'
import type { Going } from './departure.ts'
import { banUser, clearUserFlags, deleteUser, flagUser, unbanUser, unflagUser } from './moderation.ts'
import { presentUserShort } from './present.ts'
import { resolveUserId } from './queries.ts'
import { userShape } from './resource.ts'
import { BanBody, DeleteUserParams, DeleteUserQuery, UserIdParams, UserShort } from './schema.ts'
import { findUsersById } from './queries.ts'

const tag = 'User'

export function moderationRoutes({ read, write, grouped }: Routes, clearer: Clearer): void {
  write(
    'POST',
    '/api/v4/me/flags/:userId',
    { summary: 'Flag a user', tag, params: UserIdParams, body: FlagBody, answers: userShape },
    async (tx, { viewer, params, body }) => ({
      roots: { users: [await flagUser(tx, viewer, params.userId, body)] },
    }),
  )
  write(
    'DELETE',
    '/api/v4/me/flags/:userId',
    { summary: 'Unflag a user', tag, params: UserIdParams, answers: userShape },
    async (tx, { viewer, params }) => ({ roots: { users: [await unflagUser(tx, viewer, params.userId)] } }),
  )
  write(
    'DELETE',
    '/api/v2/users/:userId/flags',
    { summary: 'Clear the flags of a user', tag, params: UserIdParams, answers: { schema: UserShort } },
    async (tx, { viewer, params }) => {
      const id = await clearUserFlags(tx, viewer, params.userId)
      const [user] = await findUsersById(tx, [id])
      return { body: presentUserShort(user!) }
    },
  )
  for (const spelling of ['isFlagByMe', 'isflagbyme']) {
    read(
      'GET',
      `/api/v3/users/:userId/${spelling}`,
      {
        summary: 'Whether I flagged a user',
        tag,
        params: UserIdParams,
        answers: { schema: FlaggedByMe },
        deprecated: spelling === 'isflagbyme',
      },
      async (db, { viewer, params }) => {
        const id = await resolveUserId(db, params.userId)
        return { body: presentFlaggedByMe((await findFlagged(db, 'user', [id], viewer.id)).has(id)) }
      },
    )
  }

  // What those who go leave is cleared up after their transaction, a little at a time.
  grouped(
    'POST',
    '/api/v2/users/ban',
    { summary: 'Ban a user from the network', tag, body: BanBody, answers: userShape },
    async (db, { viewer, body }) => {
      const userId = await inTransaction(db, (tx) => banUser(tx, viewer, clearer, body.userId))
      await clearBriefly(db, clearer, viewer, { userId, going: { kind: 'banned' } })
      return { roots: { users: [userId] } }
    },
  )
  write(
    'POST',
    '/api/v2/users/unban',
    { summary: 'End the ban of a user', tag, body: BanBody, answers: userShape },
    async (tx, { viewer, body }) => ({ roots: { users: [await unbanUser(tx, viewer, body.userId)] } }),
  )
  grouped(
    'DELETE',
    '/api/v4/users/:userId',
    {
      summary: 'Delete a user',
      tag,
      params: DeleteUserParams,
      query: DeleteUserQuery,
      answers: { schema: Success },
    },
    async (db, { viewer, params, query }) => {
      const userId = await inTransaction(db, (tx) => deleteUser(tx, viewer, clearer, params.userId, query))
      const going: Going = { kind: 'deleted', options: query }
      await clearBriefly(db, clearer, viewer, { userId, going })
      return { body: { success: true } }
    },
  )
}
