import type { TestAnswer, TestClient } from '../harness/client.ts'
import type { TestServer } from '../harness/server.ts'

type Fields = Record<string, unknown>
let made = 0

export function path(storyId: string, rest = ''): string {
  return `/api/v4/stories/${storyId}${rest}`
}

/** The body of a text story in a community, or elsewhere if the fields say so. */
export function storyBody(targetId: string, fields: Fields = {}): Fields {
  return {
    targetType: 'community',
    targetId,
    dataType: 'text',
    data: { text: 'A story' },
    referenceId: `ours ${made++}`,
    ...fields,
  }
}

/** Makes a story as this user; answers it as shown to them. */
export async function createStory(
  client: TestClient,
  targetId: string,
  fields: Fields = {},
): Promise<TestAnswer['body']> {
  const answer = await client.post('/api/v4/stories', storyBody(targetId, fields))
  if (answer.status !== 200) throw new Error(`creating a story: ${JSON.stringify(answer.body)}`)
  return answer.body.stories[0]
}

/** Story ids of a list, and the whole answer. */
export async function listStories(
  client: TestClient,
  targetId: string,
  query: Fields = {},
): Promise<{ ids: string[]; body: TestAnswer['body']; status: number }> {
  const asked = { targetType: 'community', targetId, ...query }
  const { body, status } = await client.get('/api/v4/stories', asked)
  return { ids: idsOf(body), body, status }
}

export function idsOf(body: TestAnswer['body']): string[] {
  return (body.stories ?? []).map((story: { storyId: string }) => story.storyId)
}

/** Makes a story end when it was made, as if its day had passed. */
export async function expire(server: TestServer, storyId: string): Promise<void> {
  await server.app.db
    .updateTable('stories')
    .set((e) => ({ expiresAt: e.ref('createdAt') }))
    .where('id', '=', storyId)
    .execute()
}

/** Reports that this user looked at a story. */
export function view(client: TestClient, contentId: string): Promise<TestAnswer> {
  const timestamp = new Date(made++).toISOString()
  const activity = { contentId, contentType: 'story', activityType: 'view', timestamp }
  return client.post('/api/v1/analytics/activities', { activities: [activity] })
}
