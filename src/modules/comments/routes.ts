import type { Routes } from '../../kernel/http/routes.ts'
import { clearCommentFlags, createComment } from './actions.ts'
import { listComments, queryComments, requireReadableComment } from './queries.ts'
import { commentShape } from './resource.ts'
import { CommentIdParams, CreateCommentBody, ListCommentsQuery, QueryCommentsQuery } from './schema.ts'
import { targetOf, type CommentTarget } from './target.ts'

export function commentRoutes({ read, write }: Routes, targets: CommentTarget[]): void {
  read(
    'GET',
    '/api/v3/comments',
    {
      summary: 'Query the comments on an object',
      tag: 'Comment',
      query: QueryCommentsQuery,
      answers: commentShape,
      paged: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryComments(db, viewer, targets, query)
      return { roots: { comments: rows.map(({ id }) => id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v3/comments/list',
    { summary: 'List comments by id', tag: 'Comment', query: ListCommentsQuery, answers: commentShape },
    async (db, { query }) => ({ roots: { comments: await listComments(db, query.commentIds) } }),
  )
  read(
    'GET',
    '/api/v3/comments/:commentId',
    { summary: 'Get a comment', tag: 'Comment', params: CommentIdParams, answers: commentShape },
    async (db, { viewer, params }) => {
      const { id } = await requireReadableComment(db, viewer, targets, params.commentId)
      return { roots: { comments: [id] } }
    },
  )

  write(
    'POST',
    '/api/v3/comments',
    { summary: 'Create a comment', tag: 'Comment', body: CreateCommentBody, answers: commentShape },
    async (tx, { viewer, body }) => ({
      roots: { comments: [await createComment(tx, viewer, targetOf(targets, body.referenceType), body)] },
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
