import { shape } from '../../kernel/envelope/shape.ts'
import { defineEvent } from '../../kernel/outbox/event.ts'

export interface CommentSubject {
  id: string
  /** The comment's own topic. */
  path: string
  /** Keys beside the envelope: who reacted, who flagged. */
  extra?: Record<string, unknown>
}

const form = {
  shape: shape('comments', 'commentChildren', 'communityUsers', 'users', 'files'),
  roots: ({ id }: CommentSubject) => ({ comments: [id] }),
  extra: ({ extra }: CommentSubject) => extra ?? {},
}

function commentEvent(name: string, webhook?: string) {
  return defineEvent<CommentSubject>({
    name,
    audiences: ({ path }) => [path],
    realtime: form,
    webhooks: webhook ? [{ name: webhook, ...form }] : [],
  })
}

export const commentCreated = commentEvent('comment.created', 'v3.comment.didCreate')
/** A comment that answers another: the same to clients, a name of its own to webhooks. */
export const commentReplied = defineEvent<CommentSubject>({
  name: 'comment.replied',
  audiences: ({ path }) => [path],
  realtime: { name: 'comment.created', ...form },
  webhooks: [{ name: 'v3.comment.didReply', ...form }],
})
export const commentFlagged = commentEvent('comment.flagged', 'v3.comment.didFlag')
export const commentUnflagged = commentEvent('comment.unflagged', 'v3.comment.didUnflag')

export const commentEvents = [commentCreated, commentReplied, commentFlagged, commentUnflagged]
