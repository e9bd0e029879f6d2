import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'
import type { PushNotice } from './notice.ts'
import { asRow } from './store.ts'
import { wish } from './wish-store.ts'

/** Who wants to hear of notices: so many of them each at most, by public id. Those nobody wants are left out. */
export async function findRecipients(
  db: Db,
  notices: PushNotice[],
  hiddenFrom: { id: string; userId: string }[],
  limit: number,
): Promise<Map<string, string[]>> {
  const { joins, isWanted } = wish(sql`person.user_id`)
  const { rows } = await sql<{ id: string; people: string[] }>`
    select notice.id, wanting.people
    from json_populate_recordset(null::push_notices, ${JSON.stringify(notices.map(asRow))}::json) notice
    left join communities community on notice.target_type = 'community' and community.id = notice.target_id
    left join channels channel on notice.target_type = 'channel' and channel.id = notice.target_id
    cross join lateral (
      select array_agg(listed.user_id) as people from (
        select users.user_id
        from (
          select unnest(notice.user_ids) as user_id where notice.audience_type = 'users'
          union all
          select member.user_id from community_members member
          where notice.audience_type = 'community' and member.community_id = notice.audience_id
            and member.membership = 'member'
          union all
          select member.user_id from channel_members member
          where notice.audience_type = 'channel' and member.channel_id = notice.audience_id
          union all
          select follow.from_user_id from follows follow
          where notice.audience_type = 'followers' and follow.to_user_id = notice.audience_id
            and follow.status = 'accepted'
        ) person
        ${joins}
        where (notice.id, person.user_id) not in (
            select * from unnest(${hiddenFrom.map((pair) => pair.id)}::text[], ${hiddenFrom.map((pair) => pair.userId)}::text[]))
          and ${isWanted}
        limit ${limit}
      ) listed
      having count(*) > 0
    ) wanting`.execute(db)
  return new Map(rows.map(({ id, people }) => [id, people]))
}
