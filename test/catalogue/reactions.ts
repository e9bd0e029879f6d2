import { ok } from '../factories/chat.ts'
import type { TestClient } from '../harness/client.ts'

/** Likes something, and thinks better of it. */
export async function reactTo(client: TestClient, referenceType: string, referenceId: string): Promise<void> {
  const reaction = { referenceType, referenceId, reactionName: 'like' }
  ok(await client.post('/api/v2/reactions', reaction))
  ok(await client.delete('/api/v2/reactions', reaction))
}
