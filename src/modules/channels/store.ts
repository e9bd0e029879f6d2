import { sql, type Insertable, type RawBuilder, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { byId } from '../../kernel/envelope/resource.ts'
import { joined } from '../../kernel/joined.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { now } from '../../platform/clock.ts'
import type { ChannelType } from './schema.ts'

/** What rules are made of: a channel without what only its presentation needs. */
export interface ChannelFacts {
  id: string
  channelId: string
  type: ChannelType
  isPublic: boolean
  creatorId: string
  communityId: string | null
  isMuted: boolean
  isRateLimited: boolean
  rateLimit: number
  rateLimitWindow: number
  messageAutoDeleteEnabled: boolean
  autoDeleteMessageByFlagLimit: number
  messageCount: number
  isClosed: boolean
  isDeleted: boolean
}

export interface ChannelRow extends ChannelFacts {
  displayName: string | null
  avatarFileId: string | null
  metadata: Json
  tags: string[]
  postId: string | null
  videoStreamId: string | null
  roomId: string | null
  isDistinct: boolean
  notificationMode: string
  muteTimeout: Date | null
  rateLimitTimeout: Date | null
  memberCount: number
  moderatorMemberCount: number
  deletedAt: Date | null
  lastActivity: Date
  createdAt: Date
  updatedAt: Date
  /** Internal id of the message shown in channel lists, and the id shown for it. */
  previewId: string | null
  messagePreviewId: string | null
  /** Internal ids of everyone in a conversation; null for other types. */
  memberIds: string[] | null
}

const isMuted = () => sql<boolean>`coalesce(channels.mute_timeout > ${now()}, false)`.as('isMuted')
const isRateLimited = () =>
  sql<boolean>`coalesce(channels.rate_limit_timeout > ${now()}, false)`.as('isRateLimited')
const type = sql<ChannelType>`channels.type`.as('type')
const factColumns = [
  'channels.id',
  'channels.channelId',
  'channels.isPublic',
  'channels.creatorId',
  'channels.communityId',
  'channels.rateLimit',
  'channels.rateLimitWindow',
  'channels.messageAutoDeleteEnabled',
  'channels.autoDeleteMessageByFlagLimit',
  'channels.messageCount',
  'channels.isClosed',
  'channels.isDeleted',
] as const

function selectFacts(db: Db) {
  return db.selectFrom('channels').select([...factColumns, type, isMuted(), isRateLimited()])
}

/** A member of the network's chat settings, or what holds while nobody set it. */
function previewSetting(name: 'enabled' | 'isIncludeDeleted', fallback: boolean) {
  return sql<boolean>`coalesce((
    select (value -> 'messagePreview' ->> ${sql.lit(name)})::boolean from network_settings where section = 'chat'
  ), ${sql.lit(fallback)})`
}

/** Channels as they are presented. The preview is looked up, not stored, so that deletions cannot leave it stale. */
export async function findChannelsById(db: Db, ids: string[]): Promise<ChannelRow[]> {
  return db
    .selectFrom('channels')
    .leftJoinLateral(
      (e) =>
        e
          .selectFrom('messages')
          .select([
            'messages.id as previewId',
            sql<string>`coalesce(messages.message_id, messages.id)`.as('messagePreviewId'),
          ])
          .whereRef('messages.channelId', '=', 'channels.id')
          .where(previewSetting('enabled', true))
          .where((w) =>
            w.or([w('messages.isDeleted', '=', false), previewSetting('isIncludeDeleted', false)]),
          )
          .orderBy('messages.segment', 'desc')
          .limit(1)
          .as('preview'),
      (join) => join.onTrue(),
    )
    .selectAll('channels')
    .select([type, isMuted(), isRateLimited(), 'preview.previewId', 'preview.messagePreviewId'])
    .select(
      sql<string[] | null>`case when channels.type = 'conversation' then array(
        select user_id from channel_members where channel_id = channels.id and membership <> 'none'
        order by created_at, user_id limit 100) end`.as('memberIds'),
    )
    .where('channels.id', '=', anyOf(ids))
    .execute()
}

/** Facts of channels by public or internal id, in no order. */
export async function findChannelFacts(
  db: Db,
  ids: string[],
  kind: 'public' | 'internal',
): Promise<ChannelFacts[]> {
  return [...(await loadFacts[kind](db, ids)).values()]
}

const loadFacts = {
  public: joined<ChannelFacts>(async (db, ids) => {
    const channels = await selectFacts(db).where('channels.channelId', '=', anyOf(ids)).execute()
    return byId(channels, (channel) => channel.channelId)
  }),
  internal: joined<ChannelFacts>(async (db, ids) => {
    const channels = await selectFacts(db).where('channels.id', '=', anyOf(ids)).execute()
    return byId(channels, (channel) => channel.id)
  }),
}

/**
 * Locks channels, in one order everywhere, and answers their facts as they are now. With `skipLocked`, channels that
 * another transaction holds are left out instead of waited for.
 */
export async function lockChannels(
  tx: Tx,
  ids: string[],
  { kind = 'internal', skipLocked = false }: { kind?: 'public' | 'internal'; skipLocked?: boolean } = {},
): Promise<ChannelFacts[]> {
  const at = now()
  // Plain SQL: every message comes through here, and building the query took longer than running it.
  const { rows } = await sql<ChannelFacts>`
    select id, channel_id, type, is_public, creator_id, community_id, rate_limit, rate_limit_window,
      message_auto_delete_enabled, auto_delete_message_by_flag_limit, message_count, is_closed, is_deleted,
      coalesce(mute_timeout > ${at}, false) as is_muted, coalesce(rate_limit_timeout > ${at}, false) as is_rate_limited
    from channels where ${kind === 'public' ? sql.ref('channelId') : sql.ref('id')} = any (${ids})
    order by id for no key update ${skipLocked ? sql`skip locked` : sql``}`.execute(tx)
  return rows
}

/** The channel a distinct conversation of these people already has. */
export async function findByMembersKey(db: Db, membersKey: string): Promise<ChannelFacts | undefined> {
  return selectFacts(db).where('channels.membersKey', '=', membersKey).executeTakeFirst()
}

/** Inserts unless these people have a distinct conversation already; answers whether it did. */
export async function insertChannel(tx: Tx, channel: Insertable<DB['channels']>): Promise<boolean> {
  const result = await tx
    .insertInto('channels')
    .values(channel)
    .onConflict((c) => c.column('membersKey').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function updateChannelRow(
  tx: Tx,
  id: string,
  changes: Updateable<DB['channels']>,
): Promise<void> {
  await tx.updateTable('channels').set(changes).where('id', '=', id).execute()
}

/** Whether a viewer may read what is said in the channel of this column: `canReadMessages`, for lists in the database. */
export function isReadableChannel(
  viewer: { id: string; seesAll: boolean },
  channelIdColumn: string,
): RawBuilder<boolean> {
  if (viewer.seesAll) return sql<boolean>`true`
  return sql<boolean>`exists (
    select from channels readable
    left join channel_members own on own.channel_id = readable.id and own.user_id = ${viewer.id}
    where readable.id = ${sql.ref(channelIdColumn)} and not readable.is_deleted
      and (readable.is_public and own.membership is distinct from 'banned'
        or own.membership = 'member' and not readable.is_closed))`
}

export interface ChannelAdvance {
  id: string
  /** How many messages were added: so many segments were taken. */
  messages: number
  lastActivity: Date
  /** The last segment that mentioned everybody, 0 if none did. */
  mentionSegment: number
}

/** Takes segments for new messages. The channels are locked. */
export async function advanceChannels(tx: Tx, advances: ChannelAdvance[]): Promise<void> {
  await sql`
    update channels c set message_count = c.message_count + a.messages,
      last_activity = greatest(c.last_activity, a.last_activity),
      last_channel_mention_segment = greatest(c.last_channel_mention_segment, a.mention_segment)
    from unnest(${advances.map((a) => a.id)}::text[], ${advances.map((a) => a.messages)}::bigint[],
      ${advances.map((a) => a.lastActivity)}::timestamptz[], ${advances.map((a) => a.mentionSegment)}::bigint[])
      as a (id, messages, last_activity, mention_segment)
    where c.id = a.id`.execute(tx)
}
