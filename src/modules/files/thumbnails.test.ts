// needs: ffmpeg
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { uploadFile } from '../../../test/factories/files.ts'
import type { TestAnswer } from '../../../test/harness/client.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { alice } = await startWithPeople()

async function upload(kind: 'videos' | 'clips', name: string): Promise<string> {
  const bytes = await readFile(new URL(`../../../test/fixtures/media/${name}`, import.meta.url))
  return uploadFile(alice, kind, new Blob([new Uint8Array(bytes)]), name, { accessType: 'network' })
}

async function postOf(type: string, fileId: string): Promise<TestAnswer['body']> {
  return (await alice.post('/api/v4/posts', { data: { text: 'See' }, attachments: [{ type, fileId }] })).body
}

it.each([
  ['video', 'videos', 'clip.mp4'],
  ['video', 'videos', 'clip.mov'],
  ['video', 'videos', 'clip.webm'],
  ['clip', 'clips', 'clip.mkv'],
] as const)('a %s has a picture where it is shown (%s, %s)', async (type, kind, name) => {
  const fileId = await upload(kind, name)
  const { postChildren, files } = await postOf(type, fileId)
  const [{ thumbnailFileId }] = postChildren.map(({ data }: TestAnswer['body']) => data)
  const picture = files.find((file: TestAnswer['body']) => file.fileId === thumbnailFileId)
  expect(picture).toMatchObject({
    type: 'image',
    accessType: 'network',
    attributes: { mimeType: 'image/jpeg' },
  })
  const answer = await fetch(`${picture.fileUrl}?size=medium`, {
    headers: { authorization: `Bearer ${alice.accessToken}` },
  })
  const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
  expect(picture.attributes.metadata).toMatchObject({ width, height })
})

it('is turned as the video is shown', async () => {
  const { files } = await postOf('video', await upload('videos', 'upright.mp4'))
  const sizes = files.map(({ attributes }: TestAnswer['body']) => attributes.metadata)
  expect(sizes).toHaveLength(2)
  expect(sizes[0].width < sizes[0].height).toBe(true)
  expect(sizes[0]).toMatchObject({ width: sizes[1].width, height: sizes[1].height })
})

it('goes when the video is deleted', async () => {
  const fileId = await upload('videos', 'clip.mp4')
  const { postChildren } = await postOf('video', fileId)
  const { thumbnailFileId } = postChildren[0].data
  expect((await alice.delete(`/api/v3/files/${fileId}`)).body.data).toEqual({ fileId })
  for (const id of [fileId, thumbnailFileId])
    expect((await alice.get(`/api/v3/files/${id}`)).status, id).toBe(404)
})
