import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { readSettings } from '../network-settings/index.ts'
import { findUsersByPublicId, resolveUserId } from '../users/index.ts'
import { findMembers, type ChannelMemberRow } from './members/store.ts'
import { canReadMessages, canSeeChannel, isMember } from './policy.ts'
import { countChannels, queryChannelRows, searchChannelRows, type ChannelFilter } from './query-store.ts'
import type { QueryChannelsQuery, SearchChannelsQuery } from './schema.ts'
import { findChannelFacts, lockChannels, type ChannelFacts } from './store.ts'

export interface ChannelForViewer {
  channel: ChannelFacts
  /** The viewer's own membership. */
  member: ChannelMemberRow | undefined
}

type IdKind = 'public' | 'internal'

/** A channel by internal id. */
export async function findChannel(db: Db, id: string): Promise<ChannelFacts | undefined> {
  return (await findChannelFacts(db, [id], 'internal'))[0]
}

/** The internal id behind a public one. */
export async function findChannelId(db: Db, channelId: string): Promise<string | undefined> {
  return (await findChannelFacts(db, [channelId], 'public'))[0]?.id
}

/** Channels by internal id, in no order. */
export async function findChannels(db: Db, ids: string[]): Promise<ChannelFacts[]> {
  return findChannelFacts(db, ids, 'internal')
}

/** Channels by public id, in no order. */
export async function findChannelsByPublicId(db: Db, channelIds: string[]): Promise<ChannelFacts[]> {
  return findChannelFacts(db, channelIds, 'public')
}

/** One membership, by internal ids. */
export async function findChannelMembership(
  db: Db,
  channelId: string,
  userId: string,
): Promise<ChannelMemberRow | undefined> {
  return (await findMembers(db, [{ channelId, userId }]))[0]
}

/** A channel the viewer may see, with their membership. Fails with `notFound` otherwise. */
export async function requireVisibleChannel(
  db: Db,
  viewer: Viewer,
  channelId: string,
  kind: IdKind = 'public',
): Promise<ChannelForViewer> {
  const [channel] = await findChannelFacts(db, [channelId], kind)
  return visible(db, viewer, channel)
}

/** Locks a channel the viewer may see and that is not deleted. Fails with `notFound` otherwise. */
export async function lockChannelFor(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  kind: IdKind = 'public',
): Promise<ChannelForViewer> {
  const [channel] = await lockChannels(tx, [channelId], { kind })
  if (channel?.isDeleted) fail('notFound', 'channel')
  return visible(tx, viewer, channel)
}

async function visible(db: Db, viewer: Viewer, channel: ChannelFacts | undefined): Promise<ChannelForViewer> {
  if (!channel) return fail('notFound', 'channel')
  const member = await findChannelMembership(db, channel.id, viewer.id)
  if (!canSeeChannel(viewer, channel, member)) fail('notFound', 'channel')
  return { channel, member }
}

/** The internal ids of the channels named that the viewer may see, in the order asked. */
export async function listVisibleChannels(db: Db, viewer: Viewer, channelIds: string[]): Promise<string[]> {
  const channels = await findChannelFacts(db, channelIds, 'public')
  const members = await findMembers(
    db,
    channels.map(({ id }) => ({ channelId: id, userId: viewer.id })),
  )
  const memberOf = new Map(members.map((member) => [member.channelId, member]))
  const byPublicId = new Map(channels.map((channel) => [channel.channelId, channel]))
  return [...new Set(channelIds)].flatMap((channelId) => {
    const channel = byPublicId.get(channelId)
    return channel && canSeeChannel(viewer, channel, memberOf.get(channel.id)) ? [channel.id] : []
  })
}

/**
 * A channel whose messages the viewer may read, with their membership. Fails with `banned`, or with `notFound` for
 * what they may not see. Network moderators read conversations only where the network lets them.
 */
export async function requireReadableChannel(db: Db, viewer: Viewer, id: string): Promise<ChannelForViewer> {
  const found = await requireVisibleChannel(db, viewer, id, 'internal')
  if (found.member?.membership === 'banned') fail('banned')
  if (!canReadMessages(viewer, found.channel, found.member)) fail('notFound', 'channel')
  if (isForeignConversation(found) && !(await readSettings(db, 'chat')).isAllowAdminViewConversationMessage)
    fail('notFound', 'channel')
  return found
}

/** Which of these channels (internal ids) the viewer may read the messages of. */
export async function findReadableChannels(db: Db, viewer: Viewer, ids: string[]): Promise<Set<string>> {
  const [channels, members] = await Promise.all([
    findChannels(db, ids),
    findMembers(
      db,
      ids.map((channelId) => ({ channelId, userId: viewer.id })),
    ),
  ])
  const memberOf = new Map(members.map((member) => [member.channelId, member]))
  const seen = channels
    .map((channel) => ({ channel, member: memberOf.get(channel.id) }))
    .filter(({ channel, member }) => canReadMessages(viewer, channel, member))
  const foreign = seen.some(isForeignConversation)
  const readsForeign = foreign && (await readSettings(db, 'chat')).isAllowAdminViewConversationMessage
  const readable = seen.filter((found) => readsForeign || !isForeignConversation(found))
  return new Set(readable.map(({ channel }) => channel.id))
}

function isForeignConversation({ channel, member }: ChannelForViewer): boolean {
  return channel.type === 'conversation' && !isMember(member)
}

/** A page of channels as asked for. */
export async function queryChannels(
  db: Db,
  viewer: Viewer,
  query: QueryChannelsQuery,
): Promise<Page<{ id: string }>> {
  const { sortBy = 'lastActivity', userId, displayName, keyword = displayName, filter = 'all' } = query
  const cursor = parsePage(query)
  const listed: ChannelFilter = {
    viewerId: viewer.id,
    seesAll: can('EDIT_CHANNEL', viewer),
    memberId: userId === undefined ? viewer.id : await resolveUserId(db, userId),
    membership: query.membership ?? filter,
    keyword,
    types: query.types,
    tags: query.tags,
    excludeTags: query.excludeTags,
    isDeleted: query.isDeleted,
    isArchived: query.excludeArchives ? false : query.isArchived,
  }
  const rows = await queryChannelRows(db, listed, sortBy, cursor)
  return cutPage(rows, cursor, (row) =>
    sortBy === 'displayName'
      ? [row.id]
      : [(sortBy === 'lastActivity' ? row.lastActivity : row.createdAt).getTime(), row.id],
  )
}

/** How `isReadableChannel` sees a viewer. */
export function readerOf(viewer: Viewer): { id: string; seesAll: boolean } {
  return { id: viewer.id, seesAll: can('EDIT_CHANNEL', viewer) }
}

export interface ChannelSearch extends Page<{ id: string }> {
  totalCount: number
  search: { query: string; limit: number; sortBy: string; orderBy: string }
}

/** Channels by name, the best matches or the liveliest first. */
export async function searchChannels(
  db: Db,
  viewer: Viewer,
  asked: SearchChannelsQuery,
): Promise<ChannelSearch> {
  const { query, exactMatch = false, isMemberOnly, types, tags, options = {} } = asked
  const { sortBy = 'relevance', orderBy = 'desc' } = options
  const cursor = parsePage({ options }, 20)
  const filter: ChannelFilter = {
    viewerId: viewer.id,
    seesAll: can('EDIT_CHANNEL', viewer),
    memberId: viewer.id,
    membership: isMemberOnly ? 'member' : 'all',
    keyword: query,
    isExact: exactMatch,
    types,
    tags,
    isDeleted: false,
  }
  const rows = await searchChannelRows(db, filter, { sortBy, orderBy }, cursor)
  const page = cutPage(rows, cursor, (row) =>
    sortBy === 'relevance'
      ? [row.relevance, row.lastActivity.getTime(), row.id]
      : [row.lastActivity.getTime(), row.id],
  )
  const totalCount = await countChannels(db, filter)
  return { ...page, totalCount, search: { query, limit: cursor.limit, sortBy, orderBy } }
}

/** People named by public id, none of them unknown or deleted. Fails with `notFound`, naming those. */
export async function resolveMembers(db: Db, userIds: string[]): Promise<{ id: string; userId: string }[]> {
  if (userIds.length === 0) return []
  const users = await findUsersByPublicId(db, userIds)
  const known = new Set(users.filter((user) => !user.isDeleted).map((user) => user.userId))
  const unknown = userIds.filter((userId) => !known.has(userId))
  if (unknown.length > 0) fail('notFound', ...unknown.map((userId) => `user ${userId}`))
  return users
}
