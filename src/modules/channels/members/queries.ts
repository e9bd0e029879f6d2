import type { Db } from '../../../kernel/database.ts'
import { fail } from '../../../kernel/errors.ts'
import { cutPage, parsePage, type Paging } from '../../../kernel/paging.ts'
import type { Viewer } from '../../../kernel/viewer.ts'
import { requireVisibleChannel } from '../queries.ts'
import type { QueryMembersQuery, QueryMembersV4Query } from '../schema.ts'
import { queryMemberRows, type MemberFilter } from './store.ts'

export interface MemberPage {
  channelId: string
  userIds: string[]
  paging: Paging
}

const filters = {
  all: ['member'],
  muted: ['muted'],
  banned: ['banned'],
  'member&banned': ['member', 'banned'],
} as const

/** Members of a channel as the older operation filters them. */
export async function queryMembers(
  db: Db,
  viewer: Viewer,
  channelId: string,
  query: QueryMembersQuery,
): Promise<MemberPage> {
  const { roles, isDeleted, filter = 'all' } = query
  return page(db, viewer, channelId, query, { memberships: filters[filter], roles, isDeleted })
}

/** Members of a channel by kinds of membership and by name. */
export async function searchMembers(
  db: Db,
  viewer: Viewer,
  channelId: string,
  query: QueryMembersV4Query,
): Promise<MemberPage> {
  const { memberships = ['member'], search, isDeleted } = query
  return page(db, viewer, channelId, query, {
    memberships,
    roles: query.roles ?? query.role,
    search,
    isDeleted,
  })
}

async function page(
  db: Db,
  viewer: Viewer,
  channelId: string,
  query: QueryMembersQuery | QueryMembersV4Query,
  filter: Omit<MemberFilter, 'channelId'>,
): Promise<MemberPage> {
  const { channel, member } = await requireVisibleChannel(db, viewer, channelId)
  if (member?.membership === 'banned') fail('banned')
  const cursor = parsePage(query)
  const order = query.sortBy === 'firstCreated' ? 'asc' : 'desc'
  const rows = await queryMemberRows(db, { ...filter, channelId: channel.id }, cursor, order)
  const { rows: shown, paging } = cutPage(rows, cursor, (row) => [row.createdAt.getTime(), row.userId])
  return { channelId: channel.id, userIds: shown.map((row) => row.userId), paging }
}
