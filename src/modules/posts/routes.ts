import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'
import { FlagBody, FlaggedByMe, presentFlaggedByMe } from '../flags/index.ts'
import { createPost } from './actions.ts'
import { CreatePostBody, DeletePostQuery, EditPostBody, ListPostsQuery, PostIdParams } from './bodies.ts'
import { deletePost } from './delete.ts'
import { editPost } from './edit.ts'
import { clearPostFlags, flagPost, isFlaggedByMe, unflagPost } from './flagging.ts'
import { listVersions, requireReadablePost } from './queries.ts'
import type { PostReferences } from './references.ts'
import { postShape } from './resource.ts'
import { reviewPost } from './review.ts'
import { PostVersion } from './schema.ts'

const tag = 'Post'
const params = PostIdParams
const answers = postShape

const Deleted = Type.Object({
  status: Type.String(),
  success: Type.Boolean(),
  data: Type.Object({ success: Type.Boolean() }),
})

export function postRoutes(routes: Routes, references: PostReferences): void {
  writeRoutes(routes, references)
  readRoutes(routes)
  reviewRoutes(routes)
  flagRoutes(routes)
}

function writeRoutes({ write }: Routes, references: PostReferences): void {
  for (const version of ['v3', 'v4'] as const) {
    const path = `/api/${version}/posts`
    write(
      'POST',
      path,
      { summary: 'Create a post', tag, body: CreatePostBody, answers, prehook: 'post.shouldCreate' },
      async (tx, { viewer, body }) => ({
        roots: { posts: [await createPost(tx, viewer, body, references)] },
      }),
    )
    write(
      'PUT',
      `${path}/:postId`,
      { summary: 'Edit a post', tag, params, body: EditPostBody, answers, prehook: 'post.shouldUpdate' },
      async (tx, { viewer, params: { postId }, body, raw }) => {
        const preserveEditedAt = raw.headers['preserve-edited-at'] === 'true'
        return {
          roots: { posts: [await editPost(tx, viewer, postId, body, { preserveEditedAt, references })] },
        }
      },
    )
    write(
      'DELETE',
      `${path}/:postId`,
      { summary: 'Delete a post', tag, params, query: DeletePostQuery, answers: { schema: Deleted } },
      async (tx, { viewer, params: { postId }, query: { permanent = false } }) => {
        await deletePost(tx, viewer, postId, { permanent, references })
        return { body: { status: 'success', success: true, data: { success: true } } }
      },
    )
  }
}

function readRoutes({ read }: Routes): void {
  read(
    'GET',
    '/api/v3/posts/list',
    { summary: 'List posts by id', tag, query: ListPostsQuery, answers },
    async (_db, { query }) => ({ roots: { posts: query.postIds } }),
  )
  read(
    'GET',
    '/api/v3/posts/:postId',
    { summary: 'Get a post', tag, params, answers },
    async (db, { viewer, params: { postId } }) => ({
      roots: { posts: [(await requireReadablePost(db, viewer, postId)).id] },
    }),
  )
  read(
    'GET',
    '/api/v3/posts/:postId/versions',
    {
      summary: 'List the former versions of a post, newest first',
      tag,
      params,
      answers: { schema: Type.Object({ versions: Type.Array(PostVersion) }) },
    },
    async (db, { viewer, params: { postId } }) => ({
      body: { versions: await listVersions(db, viewer, postId) },
    }),
  )
}

function reviewRoutes({ write }: Routes): void {
  const operations = [
    ['approve', 'Publish a post that waits for review', 'published'],
    ['decline', 'Decline a post that waits for review', 'declined'],
  ] as const
  for (const [name, summary, verdict] of operations) {
    write(
      'POST',
      `/api/v3/posts/:postId/${name}`,
      { summary, tag, params, answers },
      async (tx, { viewer, params: { postId } }) => ({
        roots: { posts: [await reviewPost(tx, viewer, postId, verdict)] },
      }),
    )
  }
}

function flagRoutes({ read, write }: Routes): void {
  const path = '/api/v3/posts/:postId'
  write(
    'POST',
    `${path}/flag`,
    { summary: 'Flag a post', tag, params, body: FlagBody, answers },
    async (tx, { viewer, params: { postId }, body }) => ({
      roots: { posts: [await flagPost(tx, viewer, postId, body)] },
    }),
  )
  write(
    'DELETE',
    `${path}/unflag`,
    { summary: "Take back one's flag of a post", tag, params, answers },
    async (tx, { viewer, params: { postId } }) => ({
      roots: { posts: [await unflagPost(tx, viewer, postId)] },
    }),
  )
  write(
    'DELETE',
    `${path}/flags`,
    { summary: "Take back everyone's flags of a post", tag, params, answers },
    async (tx, { viewer, params: { postId } }) => ({
      roots: { posts: [await clearPostFlags(tx, viewer, postId)] },
    }),
  )
  read(
    'GET',
    `${path}/isflagbyme`,
    { summary: 'Whether one flagged a post', tag, params, answers: { schema: FlaggedByMe } },
    async (db, { viewer, params: { postId } }) => ({
      body: presentFlaggedByMe(await isFlaggedByMe(db, viewer, postId)),
    }),
  )
}
