import { sql } from 'kysely'
import type { Db, Tx } from '../../kernel/database.ts'

/** How many players there are of something live, by its name in the engine. */
export interface PlayerCount {
  name: string
  players: number
}

/** Notes how many players a node serves, in place of what it said before, and drops what nobody has repeated since. */
export async function replacePlayers(
  tx: Tx,
  node: string,
  counts: PlayerCount[],
  { at, since }: { at: Date; since: Date },
): Promise<void> {
  await tx
    .deleteFrom('livePlayers')
    .where((e) => e.or([e('node', '=', node), e('seenAt', '<', since)]))
    .execute()
  if (counts.length === 0) return
  await tx
    .insertInto('livePlayers')
    .values(counts.map((count) => ({ ...count, node, seenAt: at })))
    .execute()
}

/** How many players other nodes serve, as far as they said so since then. Names without any are left out. */
export async function sumPlayersElsewhere(
  db: Db,
  node: string,
  names: string[],
  since: Date,
): Promise<Map<string, number>> {
  const { rows } = await sql<PlayerCount>`
    select name, sum(players)::int as players from live_players
    where name = any (${names}) and node <> ${node} and seen_at >= ${since} group by name
  `.execute(db)
  return new Map(rows.map(({ name, players }) => [name, players]))
}
