import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'

export async function findTraySeen(db: Db, userId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('notificationTraySeen')
    .select('lastSeenAt')
    .where('userId', '=', userId)
    .executeTakeFirst()
  return row?.lastSeenAt
}

/** Moves the seen time forward, never back; answers where it stands. */
export async function raiseTraySeen(tx: Tx, userId: string, lastSeenAt: Date): Promise<Date> {
  const row = await tx
    .insertInto('notificationTraySeen')
    .values({ userId, lastSeenAt })
    .onConflict((c) =>
      c.column('userId').doUpdateSet({
        lastSeenAt: sql`greatest(notification_tray_seen.last_seen_at, excluded.last_seen_at)`,
      }),
    )
    .returning('lastSeenAt')
    .executeTakeFirstOrThrow()
  return row.lastSeenAt
}
