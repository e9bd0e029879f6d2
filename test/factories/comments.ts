import type { TestAnswer, TestClient } from '../harness/client.ts'
import { uploadFile } from './files.ts'

type Fields = Record<string, unknown>

/** Makes a text post as this user, on their own page or where the fields say; answers it as shown to them. */
export async function createPost(client: TestClient, fields: Fields = {}): Promise<TestAnswer['body']> {
  const answer = await client.post('/api/v4/posts', { data: { text: 'A post' }, ...fields })
  if (answer.status !== 200) throw new Error(`creating a post: ${JSON.stringify(answer.body)}`)
  return answer.body.posts[0]
}

/** Makes a comment on a post as this user; answers it as shown to them. */
export async function createComment(
  client: TestClient,
  postId: string,
  fields: Fields = {},
): Promise<TestAnswer['body']> {
  const on = { referenceType: 'post', referenceId: postId }
  const answer = await client.post('/api/v3/comments', { ...on, data: { text: 'A comment' }, ...fields })
  if (answer.status !== 200) throw new Error(`creating a comment: ${JSON.stringify(answer.body)}`)
  return answer.body.comments[0]
}

export function path(commentId: string, rest = '', version = 'v3'): string {
  return `/api/${version}/comments/${encodeURIComponent(commentId)}${rest}`
}

/** Comment ids of a page of the comments on a post, and the whole answer. */
export async function queryComments(
  client: TestClient,
  postId: string,
  query: Fields = {},
): Promise<{ ids: string[]; body: TestAnswer['body']; status: number }> {
  const { body, status } = await client.get('/api/v3/comments', { referenceId: postId, ...query })
  return { ids: (body.comments ?? []).map((one: { commentId: string }) => one.commentId), body, status }
}

/** A small picture, uploaded by this user; answers its file id. */
export function uploadPicture(client: TestClient): Promise<string> {
  return uploadFile(client, 'images', new Blob([onePixel], { type: 'image/png' }), 'pixel.png')
}

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
