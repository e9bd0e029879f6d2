import type { TestAnswer, TestClient } from '../harness/client.ts'

type Fields = Record<string, unknown>

/** Makes a community as this user; answers it as shown to them. */
export async function createCommunity(client: TestClient, fields: Fields = {}): Promise<TestAnswer['body']> {
  const answer = await client.post('/api/v3/communities', { displayName: 'A community', ...fields })
  if (answer.status !== 200) throw new Error(`creating a community: ${JSON.stringify(answer.body)}`)
  return answer.body.communities[0]
}

/** The kinds of community by who may see them. */
export const privacies = {
  public: {},
  discoverable: { isPublic: false, isDiscoverable: true },
  hidden: { isPublic: false },
} as const

export function path(communityId: string, rest = '', version = 'v3'): string {
  return `/api/${version}/communities/${communityId}${rest}`
}

/** The line of one user in a communities answer. */
export function lineOf(body: TestAnswer['body'], userId: string): TestAnswer['body'] {
  return body.communityUsers.find((user: { userId: string }) => user.userId === userId)
}

export async function join(client: TestClient, communityId: string): Promise<TestAnswer> {
  return client.post(path(communityId, '/join'))
}
