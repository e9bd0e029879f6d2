import { newId } from '../../src/platform/ids.ts'
import type { TestClient } from '../harness/client.ts'
import type { TestServer } from '../harness/server.ts'

/** A file's record without its bytes; answers its id. */
export async function recordFile(server: TestServer, client: TestClient, type = 'image'): Promise<string> {
  const id = newId()
  const at = new Date(0)
  const file = { id, userId: client.id, type, objectKey: id, name: 'a.bin', extension: 'bin' }
  await server.app.db
    .insertInto('files')
    .values({ ...file, mimeType: 'application/octet-stream', size: 1, createdAt: at, updatedAt: at })
    .execute()
  return id
}
