import { now } from '../../../platform/clock.ts'
import type { Tx } from '../../../kernel/database.ts'
import { emit } from '../../../kernel/outbox/emit.ts'
import { joinRequestAnswered } from '../events.ts'
import { closeJoinRequests } from './store.ts'

/** Closes the open requests of these people and tells of it. Answers the internal ids of those who had one. */
export async function answerJoinRequests(
  tx: Tx,
  communityId: string,
  userIds: string[],
  { status, responderId }: { status: 'approved' | 'rejected'; responderId: string },
): Promise<string[]> {
  const closed = await closeJoinRequests(tx, communityId, userIds, { status, responderId, at: now() })
  await emit(
    tx,
    joinRequestAnswered,
    ...closed.map(({ id, userId }) => ({
      actorId: responderId,
      subject: { id, communityId, userId, status },
    })),
  )
  return closed.map((row) => row.userId)
}
