import { Type } from 'typebox'
import { shape } from '../../kernel/envelope/shape.ts'
import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { addReaction, removeReaction } from './actions.ts'
import { presentReactor } from './present.ts'
import { queryReactors } from './queries.ts'
import {
  Added,
  QueryReactionsQuery,
  Reaction,
  ReactionBody,
  Removed,
  RemoveReactionQuery,
  type RemoveReaction,
} from './schema.ts'
import type { ReactionTarget } from './target.ts'

export function reactionRoutes({ read, write }: Routes, targets: ReactionTarget[]): void {
  const targetOf = (type: string) =>
    targets.find((target) => target.type === type) ?? fail('badRequest', `nothing reacts to ${type}`)

  write(
    'POST',
    '/api/v2/reactions',
    { summary: 'Add a reaction', tag: 'Reaction', body: ReactionBody, answers: { schema: Added } },
    async (tx, { viewer, body }) => ({
      body: { addedId: await addReaction(tx, viewer, targetOf(body.referenceType), body) },
    }),
  )

  write(
    'DELETE',
    '/api/v2/reactions',
    {
      summary: 'Remove a reaction',
      tag: 'Reaction',
      query: RemoveReactionQuery,
      body: RemoveReactionQuery,
      answers: { schema: Removed },
    },
    async (tx, { viewer, query, body }) => {
      const asked = requireReaction({ ...query, ...body })
      return { body: { removedId: await removeReaction(tx, viewer, targetOf(asked.referenceType), asked) } }
    },
  )

  for (const version of ['v2', 'v3'] as const) {
    read(
      'GET',
      `/api/${version}/reactions`,
      {
        summary: 'Query who reacted',
        tag: 'Reaction',
        query: QueryReactionsQuery,
        answers: shape('users', 'files'),
        extra: { reactions: Type.Array(Reaction) },
        paged: true,
        wrapped: version === 'v2',
      },
      async (db, { viewer, query }) => {
        const { referenceId, referenceType } = query
        const id = await targetOf(referenceType).resolve(db, viewer, referenceId)
        const { rows, paging } = await queryReactors(db, id, query)
        // One entry even when nobody reacted: a client reads the first without looking.
        const reactions = [{ referenceId, referenceType, reactors: rows.map(presentReactor) }]
        return { roots: { users: rows.map((row) => row.userId) }, paging, extra: { reactions } }
      },
    )
  }
}

function requireReaction({ referenceId, referenceType, reactionName }: RemoveReaction) {
  if (referenceId === undefined || referenceType === undefined || reactionName === undefined) {
    return fail('invalid', 'referenceId, referenceType and reactionName are required')
  }
  return { referenceId, referenceType, reactionName }
}
