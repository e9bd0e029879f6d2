import type { Routes } from '../../kernel/http/routes.ts'
import { sendLiveReactions } from './actions.ts'
import { Added, LiveReactionsBody } from './schema.ts'
import type { LiveReactionTarget } from './target.ts'

export function liveReactionRoutes({ grouped }: Routes, targets: LiveReactionTarget[]): void {
  // Nothing is written, so there is no transaction.
  grouped(
    'POST',
    '/api/v1/reactions/live',
    {
      summary: 'React to something live',
      tag: 'Reaction',
      body: LiveReactionsBody,
      answers: { schema: Added },
    },
    async (db, { viewer, body }) => ({
      body: { addedIds: await sendLiveReactions(db, targets, viewer, body) },
    }),
  )
}
