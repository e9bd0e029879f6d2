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

type Kind = 'files' | 'images' | 'videos' | 'clips'

/** Uploads a file as this user; answers its id. `fields` go beside it in the form. */
export async function uploadFile(
  client: TestClient,
  kind: Kind,
  file: Blob,
  name: string,
  fields: Record<string, string> = {},
): Promise<string> {
  const form = new FormData()
  form.append('files', file, name)
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  const { status, body } = await client.send('POST', `/api/v4/${kind}`, { body: form })
  if (status !== 200) throw new Error(`uploading ${name}: ${JSON.stringify(body)}`)
  return body[0].fileId
}
