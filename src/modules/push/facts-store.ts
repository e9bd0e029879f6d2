import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

/** What a notification says of a message. */
export interface MessageFacts {
  id: string
  messageId: string
  channelId: string
  channelPublicId: string
  channelType: string
  channelName: string | null
  messageFeedId: string
  segment: number
  creatorId: string
  creatorPublicId: string
  creatorName: string | null
  /** In the network and in the channel. */
  creatorRoles: string[]
  dataType: string
  text: string | null
  mentionedUserIds: string[]
  mentionsChannel: boolean
  /** Its channel notifies nobody. */
  isSilent: boolean
}

/** Living messages of channels that people catch up with. */
export async function findMessageFacts(db: Db, ids: string[]): Promise<Map<string, MessageFacts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<MessageFacts>`
    select message.id, coalesce(message.message_id, message.id) as message_id, message.channel_id,
      channel.channel_id as channel_public_id, channel.type as channel_type, channel.display_name as channel_name,
      message.message_feed_id, message.segment, message.creator_id, creator.user_id as creator_public_id,
      creator.display_name as creator_name, creator.roles || coalesce(member.roles, '{}') as creator_roles,
      message.data_type, message.data ->> 'text' as text, message.mentioned_user_ids, message.mentions_channel,
      channel.notification_mode = 'silent' as is_silent
    from messages message
    join channels channel on channel.id = message.channel_id
    join users creator on creator.id = message.creator_id
    left join channel_members member on member.channel_id = channel.id and member.user_id = creator.id
    where message.id = any (${ids}) and not message.is_deleted and channel.type <> 'live'`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** What a notification says of who did something where. */
export interface ActorFacts {
  publicId: string
  name: string | null
  /** In the network and in the community. */
  roles: string[]
  communityName: string | null
}

/** Actors in the communities (or null) they acted in, by `actorKey`. */
export async function findActorFacts(
  db: Db,
  pairs: { actorId: string; communityId: string | null }[],
): Promise<Map<string, ActorFacts>> {
  if (pairs.length === 0) return new Map()
  const { rows } = await sql<ActorFacts & { id: string; communityId: string | null }>`
    select distinct on (asked.user_id, asked.community_id) asked.user_id as id, asked.community_id,
      users.user_id as public_id, users.display_name as name, users.roles || coalesce(member.roles, '{}') as roles,
      community.display_name as community_name
    from unnest(${pairs.map((pair) => pair.actorId)}::text[], ${pairs.map((pair) => pair.communityId)}::text[])
      as asked (user_id, community_id)
    join users on users.id = asked.user_id
    left join communities community on community.id = asked.community_id
    left join community_members member on member.community_id = community.id and member.user_id = users.id`.execute(
    db,
  )
  return new Map(rows.map((row) => [actorKey(row.id, row.communityId), row]))
}

export function actorKey(actorId: string, communityId: string | null): string {
  return `${actorId} ${communityId ?? ''}`
}

/** The texts of living posts and comments, by id. */
export async function findTexts(
  db: Db,
  postIds: string[],
  commentIds: string[],
): Promise<Map<string, string>> {
  if (postIds.length + commentIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; text: string | null }>`
    select id, data ->> 'text' as text from posts where id = any (${postIds}) and not is_deleted
    union all
    select id, data ->> 'text' from comments where id = any (${commentIds}) and not is_deleted`.execute(db)
  return new Map(rows.map((row) => [row.id, row.text ?? '']))
}

/** Who wrote posts, by post id. */
export async function findAuthors(db: Db, postIds: string[]): Promise<Map<string, string>> {
  if (postIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('posts')
    .select(['id', 'postedUserId'])
    .where('id', '=', anyOf(postIds))
    .execute()
  return new Map(rows.map((row) => [row.id, row.postedUserId]))
}

/** Whose story in which community a comment is on. */
export interface StoryComment {
  id: string
  commentId: string
  storyId: string
  creatorId: string
  communityId: string
}

/** Of some comments the living ones on living stories of communities, by id. */
export async function findStoryComments(db: Db, ids: string[]): Promise<Map<string, StoryComment>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<StoryComment>`
    select comment.id, comment.comment_id, story.id as story_id, story.creator_id,
      story.target_id as community_id
    from comments comment
    join stories story on comment.reference_type = 'story' and story.id = comment.reference_id
    where comment.id = any (${ids}) and not comment.is_deleted and not story.is_deleted
      and story.target_type = 'community'`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

export async function hasDevices(db: Db): Promise<boolean> {
  return (await db.selectFrom('devices').select('deviceId').limit(1).execute()).length > 0
}
