import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { searchText } from '../../platform/database/containing.ts'
import { keysetPage, type KeyColumn, type KeysetPosition } from '../../platform/database/keyset.ts'

/** Which channels to list, for whom. Users by internal id. */
export interface ChannelFilter {
  viewerId: string
  /** Network moderators see every channel. */
  seesAll: boolean
  /** Whose membership `membership` asks about. */
  memberId: string
  membership: 'all' | 'member' | 'notMember' | 'flagged'
  keyword?: string | undefined
  /** The keyword is the whole name, not a part of it. */
  isExact?: boolean
  types?: string[] | undefined
  tags?: string[] | undefined
  excludeTags?: string[] | undefined
  isDeleted?: boolean | undefined
  isArchived?: boolean | undefined
}

export interface ListedChannel {
  id: string
  name: string
  lastActivity: Date
  createdAt: Date
}

const name = sql<string>`lower(coalesce(channels.display_name, channels.channel_id))`

function matching(db: Db, filter: ChannelFilter) {
  let rows = db
    .selectFrom('channels')
    .leftJoin('channelMembers as mine', (join) =>
      join.onRef('mine.channelId', '=', 'channels.id').on('mine.userId', '=', filter.viewerId),
    )
  // Live channels are found by those in them; whoever watches the stream knows the id.
  if (!filter.seesAll)
    rows = rows.where((e) =>
      e.or([
        e('mine.membership', '=', 'member'),
        e.and([
          e('channels.isPublic', '=', true),
          e('channels.type', '<>', 'live'),
          e('channels.isDeleted', '=', false),
        ]),
      ]),
    )
  if (filter.membership === 'flagged')
    rows = rows.where(
      sql<boolean>`exists (select from messages where channel_id = channels.id and flag_count > 0)`,
    )
  else if (filter.membership === 'notMember') rows = rows.where(isMemberOf(filter.memberId), '=', false)
  else if (filter.memberId !== filter.viewerId) rows = rows.where(isMemberOf(filter.memberId))
  // Spelt so that the database starts from the viewer's memberships.
  else if (filter.membership === 'member')
    rows = rows.where('mine.membership', '=', 'member').where('channels.isClosed', '=', false)
  if (filter.keyword) {
    rows = filter.isExact
      ? rows.where(name, '=', filter.keyword.toLowerCase())
      : rows.where(sql`search_text(${name})`, 'like', `%${searchText(filter.keyword)}%`)
  }
  if (filter.types?.length) rows = rows.where('channels.type', '=', anyOf(filter.types))
  if (filter.tags?.length) rows = rows.where(sql<boolean>`channels.tags && ${filter.tags}::text[]`)
  if (filter.excludeTags?.length)
    rows = rows.where(sql<boolean>`not channels.tags && ${filter.excludeTags}::text[]`)
  if (filter.isDeleted !== undefined) rows = rows.where('channels.isDeleted', '=', filter.isDeleted)
  if (filter.isArchived !== undefined)
    rows = rows.where('mine.archivedAt', filter.isArchived ? 'is not' : 'is', null)
  return rows
}

function isMemberOf(userId: string) {
  return sql<boolean>`exists (select from channel_members where channel_id = channels.id and user_id = ${userId}
    and membership = 'member' and not channels.is_closed)`
}

const id: KeyColumn = { column: 'id', type: 'text' }
const orders = {
  lastActivity: { columns: [{ column: 'lastActivity', type: 'time' }, id], order: 'desc' },
  lastCreated: { columns: [{ column: 'createdAt', type: 'time' }, id], order: 'desc' },
  firstCreated: { columns: [{ column: 'createdAt', type: 'time' }, id], order: 'asc' },
  displayName: {
    columns: [
      {
        column: 'name',
        type: 'text',
        of: (last) => sql`(select ${name} from channels where id = ${last})`,
      },
      id,
    ],
    order: 'asc',
  },
} satisfies Record<string, { columns: KeyColumn[]; order: 'asc' | 'desc' }>

export async function queryChannelRows(
  db: Db,
  filter: ChannelFilter,
  sortBy: keyof typeof orders,
  position: KeysetPosition,
): Promise<ListedChannel[]> {
  const rows = matching(db, filter).select([
    'channels.id',
    name.as('name'),
    'channels.lastActivity',
    'channels.createdAt',
  ])
  const { columns, order } = orders[sortBy]
  const page = keysetPage(db.selectFrom(rows.as('listed')).selectAll(), position, columns, order)
  return (page ?? fail('badPageToken')).execute()
}

export async function searchChannelRows(
  db: Db,
  filter: ChannelFilter,
  { sortBy, orderBy }: { sortBy: 'relevance' | 'lastActivity'; orderBy: 'asc' | 'desc' },
  position: KeysetPosition,
): Promise<(ListedChannel & { relevance: number })[]> {
  const keyword = filter.keyword?.toLowerCase() ?? ''
  // The whole name, its beginning, some part of it.
  const relevance = sql<number>`case when ${name} = ${keyword} then 2 when starts_with(${name}, ${keyword}) then 1 else 0 end`
  const rows = matching(db, filter).select([
    'channels.id',
    name.as('name'),
    'channels.lastActivity',
    'channels.createdAt',
    relevance.as('relevance'),
  ])
  const byActivity: KeyColumn[] = [{ column: 'lastActivity', type: 'time' }, id]
  const columns: KeyColumn[] =
    sortBy === 'relevance' ? [{ column: 'relevance', type: 'real' }, ...byActivity] : byActivity
  const page = keysetPage(db.selectFrom(rows.as('listed')).selectAll(), position, columns, orderBy)
  return (page ?? fail('badPageToken')).execute()
}

export async function countChannels(db: Db, filter: ChannelFilter): Promise<number> {
  const row = await matching(db, filter)
    .select((e) => e.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return row.n
}
