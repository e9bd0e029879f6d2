import type { Routes } from '../../kernel/http/routes.ts'
import { fail } from '../../kernel/errors.ts'
import { clearCommentFlags, createComment } from './actions.ts'
import { commentShape } from './resource.ts'
import { CommentIdParams, CreateCommentBody } from './schema.ts'
import type { CommentTarget } from './target.ts'

export function commentRoutes({ write }: Routes, targets: CommentTarget[]): void {
  const targetOf = (type: string) =>
    targets.find((target) => target.type === type) ?? fail('badRequest', `nothing comments on ${type}`)

  write(
    'POST',
    '/api/v3/comments',
    { summary: 'Create a comment', tag: 'Comment', body: CreateCommentBody, answers: commentShape },
    async (tx, { viewer, body }) => ({
      roots: { comments: [await createComment(tx, viewer, targetOf(body.referenceType), body)] },
    }),
  )

  write(
    'DELETE',
    '/api/v3/comments/:commentId/flags',
    {
      summary: 'Clear the flags of a comment',
      tag: 'Comment',
      params: CommentIdParams,
      answers: commentShape,
    },
    async (tx, { viewer, params }) => ({
      roots: { comments: [await clearCommentFlags(tx, viewer, targets, params.commentId)] },
    }),
  )
}
