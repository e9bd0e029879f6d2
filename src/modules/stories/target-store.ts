import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import { isBlockBetween } from '../follows/index.ts'
import type { Place } from './place.ts'
import type { StoryTargetType } from './schema.ts'

/** Locks a place until `tx` ends, and notes when the story that is about to be added there ends. */
export async function lockTarget(tx: Tx, { targetType, targetId }: Place, expiresAt: Date): Promise<void> {
  await tx
    .insertInto('storyTargets')
    .values({ targetType, targetId, lastExpiresAt: expiresAt })
    .onConflict((c) =>
      c.columns(['targetType', 'targetId']).doUpdateSet({
        lastExpiresAt: sql`greatest(story_targets.last_expires_at, excluded.last_expires_at)`,
      }),
    )
    .execute()
}

/** How many stories are shown at a place at a time, whoever made them. */
export async function countLiving(db: Db, { targetType, targetId }: Place, at: Date): Promise<number> {
  const { count } = await db
    .selectFrom('stories')
    .select((e) => e.fn.countAll().as('count'))
    .where('targetType', '=', targetType)
    .where('targetId', '=', targetId)
    .where('isDeleted', '=', false)
    .where('expiresAt', '>', at)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export interface TargetRow {
  targetType: StoryTargetType
  targetId: string
  targetPublicId: string
  updatedAt: Date
}

/** Places by id, whether or not there ever was a story. */
export async function findTargets(db: Db, places: Place[]): Promise<TargetRow[]> {
  const { rows } = await sql<TargetRow>`
    select place.target_type, place.target_id, coalesce(person.user_id, community.id) as target_public_id,
      coalesce(person.updated_at, community.updated_at) as updated_at
    from ${placeTable(places)}
    left join communities community on place.target_type = 'community' and community.id = place.target_id
    left join users person on place.target_type = 'user' and person.id = place.target_id
    where coalesce(person.id, community.id) is not null
  `.execute(db)
  return rows
}

/** When the last story a viewer can see at a place ends, and the last one they looked at. */
export interface TargetTimes extends Place {
  lastExpiresAt: Date | null
  lastSeenExpiresAt: Date | null
}

export async function findTargetTimes(
  db: Db,
  viewerId: string,
  places: Place[],
  at: Date,
): Promise<TargetTimes[]> {
  const { rows } = await sql<TargetTimes>`
    select place.target_type, place.target_id, ${lastShown(viewerId, at)} as last_expires_at,
      seen.last_expires_at as last_seen_expires_at
    from ${placeTable(places)}
    left join story_seen seen
      on seen.user_id = ${viewerId} and seen.target_type = place.target_type and seen.target_id = place.target_id
  `.execute(db)
  return rows
}

/** Notes how far a viewer has come at some places. */
export async function markSeen(tx: Tx, viewerId: string, storyIds: string[]): Promise<void> {
  // In one order, so that two devices of one person do not wait for one another.
  await sql`
    insert into story_seen (user_id, target_type, target_id, last_expires_at)
    select ${viewerId}, target_type, target_id, max(expires_at) from stories where id = any (${storyIds})
    group by target_type, target_id order by target_type, target_id
    on conflict (user_id, target_type, target_id) do update
      set last_expires_at = greatest(story_seen.last_expires_at, excluded.last_expires_at)
  `.execute(tx)
}

/** A line of the list of places with stories. */
export interface ListedTarget extends Place {
  lastExpiresAt: Date
}

/** A page of the places a viewer follows that show a story: the communities they are in, people they follow, their own. */
export async function queryTargetRows(
  db: Db,
  { viewerId, at, seenState }: { viewerId: string; at: Date; seenState: 'all' | 'seen' | 'unseen' },
  cursor: Cursor,
): Promise<ListedTarget[]> {
  const listed = sql<ListedTarget>`(
    select place.target_type, place.target_id, shown.last_expires_at
    from (
      select 'community' as target_type, member.community_id as target_id
      from community_members member
      join communities community on community.id = member.community_id and not community.is_deleted
      where member.user_id = ${viewerId} and member.membership = 'member'
      union all
      select 'user', follow.to_user_id from follows follow
      where follow.from_user_id = ${viewerId} and follow.status = 'accepted'
      union all select 'user', ${viewerId}
    ) place
    join story_targets target
      on target.target_type = place.target_type and target.target_id = place.target_id
      and target.last_expires_at > ${at}
    join lateral (select ${lastShown(viewerId, at)} as last_expires_at) shown on shown.last_expires_at is not null
    left join story_seen seen
      on seen.user_id = ${viewerId} and seen.target_type = place.target_type and seen.target_id = place.target_id
    where ${seenState} = 'all'
      or (${seenState} = 'seen') = (coalesce(seen.last_expires_at, '-infinity') >= shown.last_expires_at)
  )`.as<'listed'>('listed')
  const page = keysetPage(
    db.selectFrom(listed).select(['targetType', 'targetId', 'lastExpiresAt']),
    cursor,
    [
      { column: 'lastExpiresAt', type: 'time' },
      { column: 'targetId', type: 'text' },
    ],
    'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}

// Of the place called `place` in the query around it.
function lastShown(viewerId: string, at: Date) {
  return sql`(
    select max(story.expires_at) from stories story
    where story.target_type = place.target_type and story.target_id = place.target_id
      and not story.is_deleted and story.expires_at > ${at}
      and not ${isBlockBetween(viewerId, 'story.creator_id')}
  )`
}

function placeTable(places: Place[]) {
  const types = places.map(({ targetType }) => targetType)
  const ids = places.map(({ targetId }) => targetId)
  return sql`unnest(${types}::text[], ${ids}::text[]) as place (target_type, target_id)`
}
