import type { TestAnswer, TestClient } from '../harness/client.ts'
import type { TestServer } from '../harness/server.ts'

const me = '/api/v4/me'

export const follow = (client: TestClient, userId: string) => client.post(`${me}/following/${userId}`)
export const unfollow = (client: TestClient, userId: string) => client.delete(`${me}/following/${userId}`)
export const accept = (client: TestClient, userId: string) => client.post(`${me}/followers/${userId}`)
export const removeFollower = (client: TestClient, userId: string) =>
  client.delete(`${me}/followers/${userId}`)
export const block = (client: TestClient, userId: string) => client.post(`${me}/user-blocks/${userId}`)
export const unblock = (client: TestClient, userId: string) => client.delete(`${me}/user-blocks/${userId}`)

/** Changes members of the network's social settings. */
export async function setSocial(server: TestServer, changes: Record<string, unknown>): Promise<void> {
  const answer = await (await server.asAdmin()).put('/api/v3/network-settings/social', changes)
  if (answer.status !== 200) throw new Error(`changing settings: ${JSON.stringify(answer.body)}`)
}

/** [followers, following, pending] of a user as somebody sees them, and the somebody's own relation to them. */
export async function followInfo(
  client: TestClient,
  userId: string,
): Promise<{ counts: number[]; status?: string }> {
  const own = client.userId === userId
  const { body }: TestAnswer = await client.get(
    own ? `${me}/followInfo` : `/api/v5/users/${userId}/followInfo`,
  )
  const [count] = body.followCounts
  return {
    counts: [count.followerCount, count.followingCount, count.pendingCount],
    ...(!own && { status: body.follows[0].status }),
  }
}
