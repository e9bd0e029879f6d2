import { Type, type Static } from 'typebox'
import { now } from '../../platform/clock.ts'
import { inTransaction, type Db, type Tx } from '../../kernel/database.ts'
import { defineJob, enqueue, type Job } from '../../kernel/jobs.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { ClearContext, Going, UserDeparture } from './departure.ts'
import { findUsersById } from './store.ts'
import { viewerOf } from './viewer.ts'

const Flag = Type.Boolean()
const Clearing = Type.Object({
  userId: Type.String(),
  /** Who sent them away. */
  actorId: Type.String(),
  going: Type.Union([
    Type.Object({ kind: Type.Literal('banned') }),
    Type.Object({
      kind: Type.Literal('deleted'),
      options: Type.Object({
        deleteAll: Flag,
        markMessageDeleted: Flag,
        hardDeletePost: Flag,
        hardDeleteComment: Flag,
      }),
    }),
  ]),
})
export type Clearing = Static<typeof Clearing>

/** What is left of those who went, and the job that sees to it. */
export interface Clearer {
  departures: UserDeparture[]
  job: Job<Clearing>
}

// Most people have left little enough to be gone when the request that sent them away is answered.
const brieflyMs = 2000
const laterMs = 10_000

export function createClearer(departures: UserDeparture[]): Clearer {
  const job: Job<Clearing> = defineJob({
    name: 'users.clear',
    schema: Clearing,
    async run({ db, signal }, clearing) {
      const { userId, actorId } = clearing
      const people = await findUsersById(db, [userId, actorId])
      const user = people.find(({ id }) => id === userId)
      // A ban may have ended meanwhile.
      if (!user?.isDeleted && !user?.isGlobalBan) return
      const actor = people.find(({ id }) => id === actorId) ?? user
      await clear({ db, signal }, departures, viewerOf(actor), clearing)
      if (signal.aborted) await inTransaction(db, (tx) => enqueue(tx, job, clearing))
    },
  })
  return { departures, job }
}

/** Has all that somebody left cleared up, even if this server stops now. */
export async function clearLater(tx: Tx, { job }: Clearer, clearing: Clearing): Promise<void> {
  const runAt = new Date(now().getTime() + laterMs)
  await enqueue(tx, job, clearing, { runAt, key: `${job.name} ${clearing.userId}` })
}

/** Clears up for a short while at once. What is left, or fails, is the job's. */
export async function clearBriefly(
  db: Db,
  { departures }: Clearer,
  viewer: Viewer,
  clearing: { userId: string; going: Going },
): Promise<void> {
  await clear({ db, signal: AbortSignal.timeout(brieflyMs) }, departures, viewer, clearing).catch(
    () => undefined,
  )
}

async function clear(
  context: ClearContext,
  departures: UserDeparture[],
  viewer: Viewer,
  { userId, going }: { userId: string; going: Going },
): Promise<void> {
  for (const departure of departures) {
    if (context.signal.aborted) return
    await departure.clear?.(context, viewer, userId, going)
  }
}
