import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'

// What people did lately: what they repeat, and who must be silent.

interface Saying {
  userId: string
  textHash: Buffer
  at: Date
  /** Sayings that began before this are over. */
  since: Date
}

/** Counts a saying in; answers how often it was said in a row. */
export async function countSaying(db: Db, { userId, textHash, at, since }: Saying): Promise<number> {
  const { rows } = await sql<{ times: number }>`
    insert into moderation_repetitions as said (user_id, text_hash, times, started_at)
    values (${userId}, ${textHash}, 1, ${at})
    on conflict (user_id, text_hash) do update set
      times = case when said.started_at < ${since} then 1 else said.times + 1 end,
      started_at = case when said.started_at < ${since} then ${at} else said.started_at end
    returning times`.execute(db)
  return rows[0]!.times
}

/** Forgets some of what is over. Rows that others hold are left to them. */
export async function forgetSayings(db: Db, since: Date): Promise<void> {
  await sql`
    delete from moderation_repetitions where ctid = any(array(
      select ctid from moderation_repetitions where started_at < ${since} limit 100 for update skip locked
    ))`.execute(db)
}

/** Until when somebody may write nothing, if that is still to come. */
export async function findMute(db: Db, userId: string, at: Date): Promise<Date | undefined> {
  const row = await db
    .selectFrom('moderationMutes')
    .select('mutedUntil')
    .where('userId', '=', userId)
    .where('mutedUntil', '>', at)
    .executeTakeFirst()
  return row?.mutedUntil
}

/** Makes somebody silent until then, or longer if they are already. */
export async function upsertMute(db: Db, userId: string, mutedUntil: Date): Promise<void> {
  await sql`
    insert into moderation_mutes as mutes (user_id, muted_until) values (${userId}, ${mutedUntil})
    on conflict (user_id) do update set muted_until = greatest(mutes.muted_until, excluded.muted_until)`.execute(
    db,
  )
}
