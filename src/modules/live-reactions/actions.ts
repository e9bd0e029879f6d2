import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import { broadcast } from '../../kernel/broadcast.ts'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { liveReactionsCreated } from './events.ts'
import type { LiveReactionsBody } from './schema.ts'
import type { LiveReactionTarget } from './target.ts'

/** Tells those who watch of reactions. Answers an id for each. */
export async function sendLiveReactions(
  db: Db,
  targets: LiveReactionTarget[],
  viewer: Viewer,
  body: LiveReactionsBody,
): Promise<string[]> {
  const { liveStreamId, roomId } = body
  if ((liveStreamId === undefined) === (roomId === undefined))
    fail('invalid', 'body must have either liveStreamId or roomId')
  const key = liveStreamId === undefined ? 'roomId' : 'liveStreamId'
  const asked = (liveStreamId ?? roomId)!
  const target = targets.find((one) => one.key === key) ?? fail('notFound', key)
  const { id, postPaths } = await target.resolve(db, viewer, asked)
  const own = body.reactions.filter((one) => [asked, undefined].includes(one.streamId ?? one.roomId))
  const at = now().toISOString()
  const reactions = own.map(({ reactionName, referencePublicId, referenceType, occurredAt }) => ({
    reactionId: newId(),
    reactionName,
    userId: viewer.userId,
    referenceId: id,
    referencePublicId: referencePublicId ?? id,
    referenceType: referenceType ?? 'post',
    occurredAt: occurredAt ?? at,
  }))
  if (reactions.length > 0 && postPaths.length > 0)
    broadcast(db, liveReactionsCreated, { actorId: viewer.id, subject: { postPaths, reactions } })
  return reactions.map((reaction) => reaction.reactionId)
}
