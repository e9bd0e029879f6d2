import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { paths } from '../../kernel/paths.ts'
import { postShape } from './resource.ts'

export interface PostSubject {
  id: string
  targetType: string
  targetId: string
  /** Keys beside the envelope: who reacted, who flagged. */
  extra?: Record<string, unknown>
}

const form = {
  shape: postShape,
  roots: ({ id }: PostSubject) => ({ posts: [id] }),
  extra: ({ extra }: PostSubject) => extra ?? {},
}

/** Events of a post are heard on its own topic, which those of its target and of all its posts include. */
function postEvent(name: string, webhook?: string): EventDefinition<PostSubject> {
  return defineEvent<PostSubject>({
    name,
    audiences: ({ targetType, targetId, id }) => [paths.post(targetType, targetId, id)],
    realtime: form,
    webhooks: webhook ? [{ name: webhook, ...form }] : [],
  })
}

export const postCreated = postEvent('post.created', 'v3.post.didCreate')
export const postUpdated = postEvent('post.updated', 'v3.post.didUpdate')
export const postDeleted = postEvent('post.deleted', 'v3.post.didDelete')
export const postReactionAdded = postEvent('post.addReaction', 'v3.post.didAddReaction')
export const postReactionRemoved = postEvent('post.removeReaction', 'v3.post.didRemoveReaction')

export const postEvents = [postCreated, postUpdated, postDeleted, postReactionAdded, postReactionRemoved]
