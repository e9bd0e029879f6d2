import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { happened, isImported, others, plain, reactionIdOf } from './happened.ts'
import type { Notice } from './notice.ts'
import type { PostFacts } from './store.ts'

/** Who is mentioned in a post, and whose community it is in. Edits tell only those they mention. */
export function postNotices(event: DispatchedEvent, post: PostFacts): Notice[] {
  const isNew = event.name !== 'post.updated'
  // What waited for review is told of when it is published.
  if ((event.subject as { to?: string[] }).to !== undefined) return []
  if (event.name === 'post.created' && isImported(event, post.createdAt)) return []
  const about = {
    ...happened(event),
    ...plain,
    // Publishing by review is the author's doing to those who read it.
    actorId: post.authorId,
    target: { type: post.targetType, id: post.targetId },
    act: { type: 'post', id: post.id },
    reference: { type: 'post', id: post.id },
  } as const
  const mentioned = others(event, post.mentionedUserIds)
    .filter((userId) => userId !== post.authorId)
    .map((id): Notice => ({
      ...about,
      kind: post.isPoll ? 'mention_in_poll' : 'mention_in_post',
      audience: { type: 'user', id },
      subjectId: post.id,
      // By the day of the post, so that a later edit finds who was told before.
      day: post.createdAt,
      actionReferenceId: post.id,
    }))
  if (!isNew || post.targetType !== 'community' || post.notificationMode === 'silent') return mentioned
  const inCommunity: Notice = {
    ...about,
    kind: post.isPoll ? 'poll' : post.isLiveStream ? 'live_stream' : 'post',
    audience: { type: 'community', id: post.targetId },
    subjectId: post.targetId,
    reference: null,
  }
  return [...mentioned, inCommunity]
}

/** The author of what was reacted to. What is attached to a post is part of it. */
export function postReactionNotices(event: DispatchedEvent, post: PostFacts): Notice[] {
  const reactionId = reactionIdOf(event)
  if (reactionId === undefined) return []
  const shown = post.parentPostId ?? post.id
  return others(event, [post.authorId]).map((id) => ({
    ...happened(event),
    ...plain,
    kind: 'reaction_on_post',
    audience: { type: 'user', id },
    target: { type: post.targetType, id: post.targetId },
    subjectId: shown,
    act: { type: 'reaction', id: reactionId },
    reference: { type: 'post', id: shown },
    actionReferenceId: shown,
  }))
}
