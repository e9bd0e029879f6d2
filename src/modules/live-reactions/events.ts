import { defineEvent } from '../../kernel/outbox/event.ts'
import { paths } from '../../kernel/paths.ts'

export interface LiveReactionsSubject {
  postPaths: string[]
  reactions: {
    reactionId: string
    reactionName: string
    /** Public id. */
    userId: string
    referenceId: string
    referencePublicId: string
    referenceType: string
    occurredAt: string
  }[]
}

/** Reactions flew over something live. Only ever broadcast: nobody wants to see them later. */
export const liveReactionsCreated = defineEvent<LiveReactionsSubject>({
  name: 'liveReaction.created',
  audiences: ({ postPaths }) => postPaths.map(paths.liveReaction),
  realtime: { extra: ({ reactions }) => ({ reactions }) },
})
