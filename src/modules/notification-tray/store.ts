import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'

/** Until when somebody has seen their tray: who never opened it has seen all there was when they came. */
export async function findTraySeen(db: Db, userId: string): Promise<Date> {
  const row = await db
    .selectFrom('users')
    .leftJoin('notificationTraySeen', 'notificationTraySeen.userId', 'users.id')
    .select(({ fn }) => fn.coalesce('lastSeenAt', 'users.createdAt').as('seen'))
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow()
  return row.seen
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
