import { readFileSync } from 'node:fs'
import { getAll, ok, upload, uploadPicture, type Scenario } from './world.ts'

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/media/${name}`, import.meta.url)))
export const files: Scenario = async ({ alice }) => {
  const fileId = await uploadPicture(alice)
  const text = { content: new TextEncoder().encode('Hello'), type: 'text/plain', name: 'hello.txt' }
  await upload(alice, '/api/v4/files', text)
  await upload(alice, '/api/v3/files', text)
  await upload(alice, '/api/v4/audios', { content: fixture('tone.mp3'), type: 'audio/mpeg', name: 'hum.mp3' })
  await upload(alice, '/api/v4/videos', { content: fixture('clip.mp4'), type: 'video/mp4', name: 'hive.mp4' })
  await upload(alice, '/api/v4/clips', { content: fixture('clip.mp4'), type: 'video/mp4', name: 'short.mp4' })
  const at = `/api/v3/files/${fileId}`
  await getAll(alice, [at, `${at}/download`])
  ok(await alice.put(at, { altText: 'A bee' }))
  ok(await alice.delete(at))
}
