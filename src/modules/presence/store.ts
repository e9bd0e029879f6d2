import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'

export interface Choice {
  isEnabled: boolean
  enabledAt: Date | null
}

/** Whether a user wants to be seen online, and since when; undefined if they never said. */
export async function findChoice(db: Db, userId: string): Promise<Choice | undefined> {
  return db
    .selectFrom('presenceChoices')
    .select(['isEnabled', 'enabledAt'])
    .where('userId', '=', userId)
    .executeTakeFirst()
}

export async function upsertChoice(tx: Tx, userId: string, isEnabled: boolean, at: Date): Promise<void> {
  const enabledAt = isEnabled ? at : null
  await tx
    .insertInto('presenceChoices')
    .values({ userId, isEnabled, enabledAt, updatedAt: at })
    .onConflict((c) => c.column('userId').doUpdateSet({ isEnabled, enabledAt, updatedAt: at }))
    .execute()
}

/** Notes that a user is there, unless they do not want it known. Answers whether it did. */
export async function beat(tx: Tx, userId: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into user_presences (user_id, last_heartbeat)
    select ${userId}, ${at}::timestamptz
    where not exists (select from presence_choices where user_id = ${userId} and not is_enabled)
    on conflict (user_id) do update set last_heartbeat = excluded.last_heartbeat`.execute(tx)
  return numAffectedRows === 1n
}

export async function deletePresence(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('userPresences').where('userId', '=', userId).execute()
  await tx.deleteFrom('roomPresences').where('userId', '=', userId).execute()
}

export interface PresenceRow {
  userId: string
  lastHeartbeat: Date | null
}

const isSeen = sql`not users.is_deleted and not users.is_global_ban`

/** Who was heard of since; by public id, without some (internal ids). */
export async function findOnline(
  db: Db,
  since: Date,
  { order, limit, without }: { order: 'asc' | 'desc'; limit: number; without: string[] },
): Promise<PresenceRow[]> {
  const { rows } = await sql<PresenceRow>`
    select users.user_id, presence.last_heartbeat from user_presences presence
    join users on users.id = presence.user_id
    where presence.last_heartbeat > ${since} and ${isSeen} and presence.user_id <> all (${without})
    order by presence.last_heartbeat ${order === 'asc' ? sql`asc` : sql`desc`}, presence.user_id limit ${limit}`.execute(
    db,
  )
  return rows
}

export async function countOnline(db: Db, since: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from user_presences presence join users on users.id = presence.user_id
    where presence.last_heartbeat > ${since} and ${isSeen}`.execute(db)
  return rows[0]?.n ?? 0
}

/** When users (public ids) were last heard of; those that are not there are left out. */
export async function findPresences(db: Db, userIds: string[], without: string[]): Promise<PresenceRow[]> {
  const { rows } = await sql<PresenceRow>`
    select users.user_id, case when users.id <> all (${without}) then presence.last_heartbeat end as last_heartbeat
    from users left join user_presences presence on presence.user_id = users.id
    where users.user_id = any (${userIds}) and ${isSeen}`.execute(db)
  return rows
}

/** The members of a channel who were heard of since, the latest first. */
export async function findOnlineMembers(
  db: Db,
  channelId: string,
  since: Date,
  { limit, without }: { limit: number; without: string[] },
): Promise<PresenceRow[]> {
  const { rows } = await sql<PresenceRow>`
    select users.user_id, presence.last_heartbeat from ${onlineMembers(channelId, since)}
      and presence.user_id <> all (${without})
    order by presence.last_heartbeat desc, presence.user_id limit ${limit}`.execute(db)
  return rows
}

export async function countOnlineMembers(db: Db, channelId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${onlineMembers(channelId, since)}`.execute(db)
  return rows[0]?.n ?? 0
}

function onlineMembers(channelId: string, since: Date) {
  return sql`user_presences presence
    join channel_members member on member.user_id = presence.user_id and member.channel_id = ${channelId}
    join users on users.id = presence.user_id
    where presence.last_heartbeat > ${since} and member.membership = 'member' and ${isSeen}`
}

/** Notes that a user watches a room; whoever was away for longer than `since` comes anew. */
export async function beatInRoom(
  tx: Tx,
  roomId: string,
  userId: string,
  { at, since }: { at: Date; since: Date },
): Promise<void> {
  await sql`
    insert into room_presences as presence (room_id, user_id, joined_at, last_heartbeat)
    values (${roomId}, ${userId}, ${at}, ${at})
    on conflict (room_id, user_id) do update set last_heartbeat = excluded.last_heartbeat,
      joined_at = case when presence.last_heartbeat > ${since} then presence.joined_at else excluded.joined_at end`.execute(
    tx,
  )
}

/** Forgets some of those who have long stopped watching, wherever. */
export async function deleteStaleRoomPresences(tx: Tx, before: Date, limit: number): Promise<void> {
  await sql`
    delete from room_presences where (room_id, user_id) in (
      select room_id, user_id from room_presences where last_heartbeat < ${before}
      order by last_heartbeat limit ${limit} for update skip locked)`.execute(tx)
}

export interface ViewerRow {
  userId: string
  joinedAt: Date
}

/** Who watches a room, those who came last first. */
export async function findRoomViewers(
  db: Db,
  roomId: string,
  since: Date,
  limit: number,
): Promise<ViewerRow[]> {
  const { rows } = await sql<ViewerRow>`
    select users.user_id, presence.joined_at from ${roomViewers(roomId, since)}
    order by presence.joined_at desc, presence.user_id limit ${limit}`.execute(db)
  return rows
}

export async function countRoomViewers(db: Db, roomId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${roomViewers(roomId, since)}`.execute(
    db,
  )
  return rows[0]?.n ?? 0
}

function roomViewers(roomId: string, since: Date) {
  return sql`room_presences presence join users on users.id = presence.user_id
    where presence.room_id = ${roomId} and presence.last_heartbeat > ${since} and ${isSeen}`
}

/** Forgets that a user was anywhere. */
export async function deletePresencesOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('roomPresences').where('userId', '=', userId).execute()
  await tx.deleteFrom('userPresences').where('userId', '=', userId).execute()
}
