import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'
import { feedRoutes } from './feeds/routes.ts'
import { createPost, deletePost } from './actions.ts'
import { requireReadablePost } from './queries.ts'
import { postShape } from './resource.ts'
import { CreatePostBody, DeletePostQuery, ListPostsQuery, PostIdParams } from './schema.ts'

const Deleted = Type.Object({
  status: Type.String(),
  success: Type.Boolean(),
  data: Type.Object({ success: Type.Boolean() }),
})

export function postRoutes(routes: Routes): void {
  feedRoutes(routes)
  const { read, write } = routes
  for (const version of ['v3', 'v4'] as const) {
    write(
      'POST',
      `/api/${version}/posts`,
      { summary: 'Create a post', tag: 'Post', body: CreatePostBody, answers: postShape },
      async (tx, { viewer, body }) => ({ roots: { posts: [await createPost(tx, viewer, body)] } }),
    )
    write(
      'DELETE',
      `/api/${version}/posts/:postId`,
      {
        summary: 'Delete a post',
        tag: 'Post',
        params: PostIdParams,
        query: DeletePostQuery,
        answers: { schema: Deleted },
      },
      async (tx, { viewer, params }) => {
        await deletePost(tx, viewer, params.postId)
        return { body: { status: 'success', success: true, data: { success: true } } }
      },
    )
  }

  read(
    'GET',
    '/api/v3/posts/list',
    { summary: 'List posts by id', tag: 'Post', query: ListPostsQuery, answers: postShape },
    async (_db, { query }) => ({ roots: { posts: query.postIds } }),
  )
  read(
    'GET',
    '/api/v3/posts/:postId',
    { summary: 'Get a post', tag: 'Post', params: PostIdParams, answers: postShape },
    async (db, { viewer, params }) => ({
      roots: { posts: [(await requireReadablePost(db, viewer, params.postId)).id] },
    }),
  )
}
