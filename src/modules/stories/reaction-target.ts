import { now } from '../../platform/clock.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { countReaction, type ReactionTarget } from '../reactions/index.ts'
import { subjectOf } from './actions.ts'
import { storyReactionAdded, storyReactionRemoved } from './events.ts'
import { requireInteraction } from './interaction.ts'
import { requireLivingById } from './queries.ts'
import { lockStory, updateStory } from './store.ts'

/** Reactions to stories. */
export const storyReactionTarget: ReactionTarget = {
  type: 'story',
  resolve: async (db, viewer, id) => (await requireLivingById(db, viewer, id)).story.id,
  lock: async (tx, viewer, id) => (await requireInteraction(tx, viewer, await lockStory(tx, id))).story.id,
  async apply(tx, viewer, { id, name, delta, reactor }) {
    const story = (await lockStory(tx, id)) ?? fail('notFound')
    const reactions = countReaction(story.reactions as Record<string, number>, name, delta)
    await updateStory(tx, id, {
      reactions: JSON.stringify(reactions),
      reactionsCount: story.reactionsCount + delta,
      updatedAt: now(),
    })
    // Clients read a list of reactions here; the description of the interface has a reactor.
    await emit(tx, delta > 0 ? storyReactionAdded : storyReactionRemoved, {
      actorId: viewer.id,
      subject: { ...subjectOf(story), extra: { reactions: [reactor], reactor } },
    })
  },
}
