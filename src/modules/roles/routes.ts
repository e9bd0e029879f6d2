import { Type } from 'typebox'
import type { Db } from '../../kernel/database.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { Paging } from '../../kernel/paging.ts'
import { changeRole, createRole, deleteRole } from './actions.ts'
import { presentRole } from './present.ts'
import { queryRoles, requireRole } from './queries.ts'
import {
  ChangeRoleBody,
  ChangeRolesBody,
  QueryRolesQuery,
  Role,
  RoleBody,
  RoleIdParams,
  type Role as RoleAnswer,
} from './schema.ts'
import { findAllRoles, findRoles } from './queries.ts'

const tag = 'Role'
const status = Type.String()
const One = Type.Object({ status, data: Type.Array(Role), roles: Type.Array(Role) })

export function roleRoutes({ read, write }: Routes): void {
  read(
    'GET',
    '/api/v3/roles',
    {
      summary: 'Query roles',
      tag,
      query: QueryRolesQuery,
      answers: { schema: Type.Object({ ...One.properties, paging: Paging }) },
    },
    async (db, { query }) => {
      const { rows, paging } = await queryRoles(db, query)
      return { body: { ...(await answer(db, rows.map((row) => row.roleId))), paging } } // prettier-ignore
    },
  )
  // The clients take the body itself for the list.
  read(
    'GET',
    '/api/v3/roles/:roleId',
    { summary: 'Get a role', tag, params: RoleIdParams, answers: { schema: Type.Array(Role) } },
    async (db, { params }) => ({ body: await present(db, [await requireRole(db, params.roleId)]) }),
  )
  write(
    'POST',
    '/api/v3/roles',
    { summary: 'Create a role', tag, body: RoleBody, answers: { schema: One } },
    async (tx, { viewer, body }) => ({ body: await answer(tx, [await createRole(tx, viewer, body)]) }),
  )
  write(
    'PUT',
    '/api/v3/roles/:roleId',
    { summary: 'Update a role', tag, params: RoleIdParams, body: ChangeRoleBody, answers: { schema: One } },
    async (tx, { viewer, params, body }) => ({
      body: await answer(tx, [await changeRole(tx, viewer, params.roleId, body)]),
    }),
  )
  write(
    'DELETE',
    '/api/v3/roles/:roleId',
    { summary: 'Delete a role', tag, params: RoleIdParams, answers: { schema: One } },
    async (tx, { viewer, params }) => ({
      body: await answer(tx, [await deleteRole(tx, viewer, params.roleId)]),
    }),
  )

  read(
    'GET',
    '/api/v2/roles',
    {
      summary: 'List all roles',
      tag,
      answers: {
        schema: Type.Object({
          status,
          data: Type.Object({ moderatonSettings: Type.Array(Type.Unknown()), roles: Type.Array(Role) }),
        }),
      },
      deprecated: true,
    },
    async (db) => {
      const roles = (await findAllRoles(db)).map(presentRole)
      return { body: { status: 'success', data: { moderatonSettings: [], roles } } }
    },
  )
  write(
    'PUT',
    '/api/v2/roles',
    {
      summary: 'Set the permissions of roles',
      tag,
      body: ChangeRolesBody,
      answers: { schema: One },
      deprecated: true,
    },
    async (tx, { viewer, body: { publicIds, permissions } }) => {
      const changed: string[] = []
      // In one order, so that two such requests cannot wait for each other.
      for (const roleId of [...new Set(publicIds)].sort())
        changed.push(await changeRole(tx, viewer, roleId, { permissions }))
      return { body: await answer(tx, changed) }
    },
  )
}

async function present(db: Db, roleIds: string[]): Promise<RoleAnswer[]> {
  const rows = await findRoles(db, roleIds)
  return roleIds.flatMap((roleId) => rows.filter((row) => row.roleId === roleId).map(presentRole))
}

async function answer(db: Db, roleIds: string[]) {
  const roles = await present(db, roleIds)
  return { status: 'success', data: roles, roles }
}
