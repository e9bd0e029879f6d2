import { iso } from '../../kernel/schema.ts'
import { now } from '../../platform/clock.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { canWriteMessages, findChannelMembership, findChannels, isMember } from '../channels/index.ts'
import { countReaction, type ReactionTarget } from '../reactions/index.ts'
import { findUsersById } from '../users/index.ts'
import { subjectOf } from './actions.ts'
import { messageReactionAdded, messageReactionRemoved } from './events.ts'
import { requireReadableMessage } from './queries.ts'
import type { LatestReaction } from './schema.ts'
import { findMessagesById, lockMessage, updateMessageRow } from './store.ts'

/** Reactions to messages. Whoever is in the channel may react, also where only moderators write. */
export const messageReactionTarget: ReactionTarget = {
  type: 'message',
  resolve: async (db, viewer, id) => (await requireReadableMessage(db, viewer, id)).id,
  async lock(tx, viewer, id) {
    const place = await requireReadableMessage(tx, viewer, id)
    const [channel] = await findChannels(tx, [place.channelId])
    const member = await findChannelMembership(tx, place.channelId, viewer.id)
    if (!channel || channel.isClosed) fail('forbidden', 'the channel is closed')
    else if (!isMember(member) && !canWriteMessages(viewer, channel, member)) fail('notAMember')
    await lockMessage(tx, place.id)
    const [message] = await findMessagesById(tx, [place.id])
    if (!message || message.isDeleted) return fail('notFound', 'message')
    return place.id
  },
  async apply(tx, viewer, { id, name, delta, reactor }) {
    const [message] = await findMessagesById(tx, [id])
    if (!message) return fail('notFound', 'message')
    const [user] = await findUsersById(tx, [viewer.id])
    const event = delta > 0 ? messageReactionAdded : messageReactionRemoved
    const at = now()
    const latestReaction: LatestReaction = {
      referenceId: message.publicId,
      referenceType: 'message',
      reactionName: name,
      userId: viewer.userId,
      userDisplayName: user?.displayName ?? null,
      reactionId: reactor.reactionId,
      eventName: event.name,
      createdAt: iso(at),
    }
    await updateMessageRow(tx, id, {
      reactions: JSON.stringify(countReaction(message.reactions as Record<string, number>, name, delta)),
      reactionCount: message.reactionCount + delta,
      latestReaction: JSON.stringify(latestReaction),
      updatedAt: at,
    })
    await emit(tx, event, { actorId: viewer.id, subject: { ...subjectOf(message), reactor } })
  },
}
