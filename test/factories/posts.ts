import type { TestAnswer, TestClient } from '../harness/client.ts'
import { uploadFile } from './files.ts'

export { createComment, createPost, uploadPicture } from './comments.ts'

type Fields = Record<string, unknown>

export function path(postId: string, rest = '', version = 'v3'): string {
  return `/api/${version}/posts/${postId}${rest}`
}

/** Where in a community a post goes. */
export function inCommunity(communityId: string): { targetType: string; targetId: string } {
  return { targetType: 'community', targetId: communityId }
}

/** A post as somebody sees it; undefined when they see none. */
export async function readPost(client: TestClient, postId: string): Promise<TestAnswer['body']> {
  return (await client.get(path(postId))).body.posts?.[0]
}

/** Post ids of a list, and the whole answer. */
export async function listPosts(
  client: TestClient,
  url: string,
  query: Fields = {},
): Promise<{ ids: string[]; body: TestAnswer['body']; status: number }> {
  const { body, status } = await client.get(url, query)
  return { ids: (body.posts ?? []).map((post: { postId: string }) => post.postId), body, status }
}

/** A file of any type, uploaded by this user as plain text; answers its id. Pictures: `uploadPicture`. */
export function uploadText(client: TestClient): Promise<string> {
  return uploadFile(client, 'files', new Blob(['Hello'], { type: 'text/plain' }), 'hello.txt')
}

export function react(client: TestClient, postId: string, reactionName = 'like'): Promise<TestAnswer> {
  return client.post('/api/v2/reactions', { referenceType: 'post', referenceId: postId, reactionName })
}
