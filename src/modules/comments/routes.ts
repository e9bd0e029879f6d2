import type { Routes } from '../../kernel/http/routes.ts'
import { FlagBody, FlaggedByMe, presentFlaggedByMe } from '../flags/index.ts'
import { createComment, deleteComment, editComment } from './actions.ts'
import { clearCommentFlags, flagComment, isCommentFlaggedBy, unflagComment } from './flags.ts'
import { requireReadableComment } from './open.ts'
import { listComments, queryComments } from './queries.ts'
import { commentShape } from './resource.ts'
import {
  CommentDeleted,
  CommentIdParams,
  CreateCommentBody,
  DeleteCommentQuery,
  ListCommentsQuery,
  QueryCommentsQuery,
  UpdateCommentBody,
} from './schema.ts'
import type { CommentTarget } from './target.ts'

const tag = 'Comment'
const path = '/api/v3/comments/:commentId'
const one = { tag, params: CommentIdParams, answers: commentShape }
const comment = (id: string) => ({ roots: { comments: [id] }, required: 'comments' })

export function commentRoutes(routes: Routes, targets: CommentTarget[]): void {
  const { read, write } = routes
  read(
    'GET',
    '/api/v3/comments',
    {
      summary: 'Query the comments on an object',
      tag,
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
    { summary: 'List comments by id', tag, query: ListCommentsQuery, answers: commentShape },
    async (db, { query }) => ({ roots: { comments: await listComments(db, query.commentIds) } }),
  )
  read('GET', path, { summary: 'Get a comment', ...one }, async (db, { viewer, params }) =>
    comment((await requireReadableComment(db, viewer, targets, params.commentId)).place.id),
  )
  write(
    'POST',
    '/api/v3/comments',
    {
      summary: 'Create a comment',
      tag,
      body: CreateCommentBody,
      answers: commentShape,
      prehook: 'comment.shouldCreate',
    },
    async (tx, { viewer, body }) => comment(await createComment(tx, viewer, targets, body)),
  )
  write(
    'PUT',
    path,
    { summary: 'Edit a comment', ...one, body: UpdateCommentBody, prehook: 'comment.shouldUpdate' },
    async (tx, { viewer, params, body, raw }) => {
      const keepEditedAt = raw.headers['preserve-edited-at'] === 'true'
      return comment(await editComment(tx, viewer, targets, params.commentId, body, keepEditedAt))
    },
  )
  for (const version of ['v3', 'v4'] as const) {
    write(
      'DELETE',
      `/api/${version}/comments/:commentId`,
      {
        summary: 'Delete a comment with the answers below it',
        tag,
        params: CommentIdParams,
        query: DeleteCommentQuery,
        answers: { schema: CommentDeleted },
        deprecated: version === 'v3',
      },
      async (tx, { viewer, params, query }) => {
        // The older operation knows no removal for good.
        await deleteComment(tx, viewer, targets, params.commentId, version === 'v4' && query.permanent)
        return { body: { status: 'success', success: true, data: { success: true } } }
      },
    )
  }
  flagRoutes(routes, targets)
}

function flagRoutes({ read, write }: Routes, targets: CommentTarget[]): void {
  write(
    'POST',
    `${path}/flag`,
    { summary: 'Flag a comment', ...one, body: FlagBody },
    async (tx, { viewer, params, body }) =>
      comment(await flagComment(tx, viewer, targets, params.commentId, body)),
  )
  write(
    'DELETE',
    `${path}/unflag`,
    { summary: "Take back one's flag of a comment", ...one },
    async (tx, { viewer, params }) => comment(await unflagComment(tx, viewer, targets, params.commentId)),
  )
  write(
    'DELETE',
    `${path}/flags`,
    { summary: 'Clear the flags of a comment', ...one },
    async (tx, { viewer, params }) => comment(await clearCommentFlags(tx, viewer, targets, params.commentId)),
  )
  read(
    'GET',
    `${path}/isflagbyme`,
    {
      summary: 'Whether the viewer flagged a comment',
      tag,
      params: CommentIdParams,
      answers: { schema: FlaggedByMe },
    },
    async (db, { viewer, params }) => ({
      body: presentFlaggedByMe(await isCommentFlaggedBy(db, viewer, targets, params.commentId)),
    }),
  )
}
