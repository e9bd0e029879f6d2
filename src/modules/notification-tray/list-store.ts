import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'
import type { Cursor } from '../../kernel/paging.ts'
import type { NoticeKind } from '../notices/index.ts'

/** A place in the list. */
export interface ItemKey {
  id: string
  lastOccurredAt: Date
}

/**
 * A page of what is for a user, the latest first: their own items and those of the communities they are in, each read
 * from its own index, so that it costs the same however much happened before.
 */
export async function queryItemKeys(
  db: Db,
  userId: string,
  since: Date,
  { limit, key, direction }: Cursor,
): Promise<ItemKey[]> {
  const isBackward = direction === 'before'
  const [time, id] = key
  const beyond =
    time === undefined
      ? sql`true`
      : sql`(item.last_occurred_at, item.id) ${isBackward ? sql`>` : sql`<`} (${new Date(Number(time))}, ${String(id)})`
  const order = isBackward
    ? sql`last_occurred_at, id limit ${limit + 1}`
    : sql`last_occurred_at desc, id desc limit ${limit + 1}`
  const { rows } = await sql<ItemKey>`
    with audience as (
      select 'user' as type, ${userId} as id
      union all
      select 'community', member.community_id from community_members member
      join communities community on community.id = member.community_id
      where member.user_id = ${userId} and member.membership = 'member' and not community.is_deleted
    )
    select found.id, found.last_occurred_at from audience
    cross join lateral (
      select item.id, item.last_occurred_at from notification_tray_items item
      where item.audience_type = audience.type and item.audience_id = audience.id
        and item.last_occurred_at > ${since} and ${beyond}
      order by ${order}
    ) found
    order by ${order}`.execute(db)
  return rows
}

export interface ActorRow {
  id: string
  publicId: string
  displayName: string | null
  /** ISO text, as JSON carries it. */
  lastActedAt: string
}

/** An item as one person sees it: only what still stands, by those they may see. */
export interface ItemRow {
  id: string
  kind: NoticeKind
  day: Date
  targetType: string
  /** As the wire shows it: people by public id. */
  targetId: string
  communityName: string | null
  /** Of the event or room it is about. */
  title: string | null
  referenceType: string | null
  referenceId: string | null
  actionReferenceId: string | null
  parentId: string | null
  rootId: string | null
  lastOccurredAt: Date
  lastSeenAt: Date | null
  actorsCount: number
  /** The latest first, so many at most. */
  actors: ActorRow[]
  /** What was done last, by public id. */
  latestObjectId: string
  /** Of an answer to a wish to join. */
  joinStatus: string | null
}

const shownActors = 10
/** So many acts of one item are looked at; whoever acted before them is not counted. */
const countedActs = 1000

/** Items with what still stands of them; those of which nothing does are left out. One statement. */
export async function findItems(db: Db, viewerId: string, ids: string[]): Promise<ItemRow[]> {
  const standing = sql`case act.object_type
    when 'post' then exists (
      select from posts post where post.id = act.object_id and not post.is_deleted and post.feed_type = 'published'
        -- Who is mentioned in it hears of that instead.
        and not (item.audience_type = 'community' and ${viewerId} = any (post.mentioned_user_ids)))
    when 'comment' then exists (
      select from comments comment where comment.id = act.object_id and not comment.is_deleted)
    when 'reaction' then exists (select from reactions where reactions.id = act.object_id)
    when 'follow' then exists (
      select from follows where from_user_id = act.actor_id and to_user_id = ${viewerId} and status = 'accepted')
    when 'followRequest' then exists (
      select from follows where from_user_id = act.actor_id and to_user_id = ${viewerId} and status = 'pending')
    when 'followAcceptance' then exists (
      select from follows where from_user_id = ${viewerId} and to_user_id = act.actor_id and status = 'accepted')
    when 'event' then exists (
      select from events happening
      where happening.id = act.object_id and not happening.is_deleted and happening.cancelled_at is null
        -- Of what is made known to all its community, everybody hears; of the rest, who is going and whose it is.
        and (item.kind = 'event_created' or happening.user_id = ${viewerId} or exists (
          select from event_responses response where response.event_id = happening.id
            and response.user_id = ${viewerId} and response.status = 'going'))
        and (item.kind <> 'event_reminder'
          or item.subject_id = happening.id || ':' || (extract(epoch from happening.start_time) * 1000)::bigint))
    when 'invitation' then exists (
      select from invitations invitation where invitation.id = act.object_id and invitation.status = 'pending')
    else exists (
      select from community_join_requests request where request.id = act.object_id
        and (request.status = 'pending') = (act.object_type = 'joinRequest')) end`
  const { rows } = await sql<ItemRow>`
    select item.id, item.kind, item.day::timestamp at time zone 'UTC' as day, item.target_type,
      coalesce(target_user.user_id, item.target_id) as target_id, community.display_name as community_name,
      item.reference_type, item.reference_id, item.action_reference_id, item.parent_id, item.root_id,
      acted.last_occurred_at, seen.last_seen_at, acted.actors_count, acted.actors,
      coalesce(latest_comment.comment_id, acted.latest_object_id) as latest_object_id,
      request.status as join_status, coalesce(happening.title, room.title) as title
    from notification_tray_items item
    left join communities community on item.target_type = 'community' and community.id = item.target_id
    left join events happening on item.reference_type = 'event' and happening.id = item.reference_id
    left join rooms room on item.target_type = 'room' and room.id = item.target_id
    left join users target_user on item.target_type = 'user' and target_user.id = item.target_id
    left join community_members member
      on item.audience_type = 'community' and member.community_id = item.audience_id and member.user_id = ${viewerId}
    left join notification_tray_item_seen seen on seen.item_id = item.id and seen.user_id = ${viewerId}
    cross join lateral (
      select max(actor.last_acted_at) as last_occurred_at, count(*)::int as actors_count,
        (array_agg(actor.latest_object_id order by actor.rank))[1] as latest_object_id,
        json_agg(json_build_object('id', actor.id, 'publicId', users.user_id, 'displayName', users.display_name,
          'lastActedAt', actor.last_acted_at) order by actor.rank) filter (where actor.rank <= ${shownActors}) as actors
      from (
        select act.actor_id as id, max(act.acted_at) as last_acted_at,
          (array_agg(act.object_id order by act.acted_at desc, act.object_id desc))[1] as latest_object_id,
          row_number() over (order by max(act.acted_at) desc, act.actor_id) as rank
        from (
          select act.actor_id, act.object_id, act.acted_at from notification_tray_acts act
          join users on users.id = act.actor_id
          where act.item_id = item.id and (act.actor_id <> ${viewerId} or item.kind = 'event_reminder')
            and not users.is_deleted and not users.is_global_ban
            and act.acted_at >= coalesce(member.last_join, member.created_at, '-infinity')
            and not exists (
              select from user_blocks block
              where (block.from_user_id = ${viewerId} and block.to_user_id = act.actor_id)
                or (block.from_user_id = act.actor_id and block.to_user_id = ${viewerId}))
            and ${standing}
          order by act.acted_at desc limit ${countedActs}
        ) act
        group by act.actor_id
      ) actor
      join users on users.id = actor.id
      having count(*) > 0
    ) acted
    left join comments latest_comment on latest_comment.id = acted.latest_object_id
    left join community_join_requests request
      on item.kind = 'respond_on_join_request' and request.id = acted.latest_object_id
    where item.id = any (${ids}) and not coalesce(community.is_deleted, false)`.execute(db)
  return rows
}
