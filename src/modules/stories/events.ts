import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { paths } from '../../kernel/paths.ts'
import { storyEventShape } from './resource.ts'

export interface StorySubject {
  id: string
  targetType: string
  targetId: string
  /** The creator's own name for it. */
  referenceId: string
  /** Keys beside the envelope: who reacted. */
  extra?: Record<string, unknown>
}

const form = {
  shape: storyEventShape,
  roots: ({ id }: StorySubject) => ({ stories: [id] }),
  extra: ({ extra }: StorySubject) => extra ?? {},
}

/** Events of a story are heard on its own topic, which that of all stories of its place includes. */
function storyEvent(name: string): EventDefinition<StorySubject> {
  return defineEvent<StorySubject>({
    name,
    audiences: ({ targetType, targetId, id }) => [paths.story(targetType, targetId, id)],
    realtime: form,
  })
}

export const storyCreated = storyEvent('story.created')
/** Its flags changed: clients listen to this name. */
export const storyUpdated = storyEvent('story.updated')
export const storyFlagged = storyEvent('story.flagged')
export const storyUnflagged = storyEvent('story.unflagged')
export const storyReactionAdded = storyEvent('story.reactionAdded')
export const storyReactionRemoved = storyEvent('story.reactionRemoved')
/**
 * A client files what it made under its own name for it and what it heard of under the story's id, and takes away only
 * what a deletion names: so a deletion names both.
 */
export const storyDeleted = defineEvent<StorySubject>({
  name: 'story.deleted',
  audiences: ({ targetType, targetId, id }) => [paths.story(targetType, targetId, id)],
  realtime: {
    ...form,
    reshape: (data, { referenceId }) => {
      const stories = data.stories as object[]
      return { ...data, stories: [...stories, ...stories.map((story) => ({ ...story, referenceId }))] }
    },
  },
})

export const storyEvents = [
  storyCreated,
  storyUpdated,
  storyDeleted,
  storyFlagged,
  storyUnflagged,
  storyReactionAdded,
  storyReactionRemoved,
]
