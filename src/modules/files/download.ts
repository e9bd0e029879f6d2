import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { answerContent, uploadHeaders } from '../../platform/http/content-response.ts'
import { isImageError } from '../../platform/images/image-errors.ts'
import { imageSizes, resizedType, resizeTo } from '../../platform/images/resize.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import { fail } from '../../kernel/errors.ts'
import type { FileRow } from './store.ts'

export type ImageSize = keyof typeof imageSizes | 'full'

/** What is sent of a file: an object, its type, and whether that is the answer for good. */
interface Form {
  key: string
  mimeType: string
  isFinal: boolean
}

/** Sends a file's bytes, or a smaller form of an image, with ranges and validators. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  file: FileRow,
  size: ImageSize,
): Promise<FastifyReply> {
  const original: Form = { key: file.objectKey, mimeType: file.mimeType, isFinal: true }
  const isResized = size !== 'full' && file.type === 'image'
  const { key, mimeType, isFinal } = isResized ? await findResized(store, file, size, original) : original
  const stat = await store.stat(key)
  if (!stat) fail('notFound', 'the bytes of this file are gone')
  const { status, headers, body } = answerContent(request, {
    size: stat.size,
    modifiedAt: file.createdAt,
    etag: `"${file.id}-${key === file.objectKey ? 'full' : size}"`,
  })
  const opened = body === 'none' ? null : await store.get(key, body === 'whole' ? undefined : body)
  if (body !== 'none' && !opened) fail('notFound', 'the bytes of this file are gone')
  const cache = file.accessType === 'public' ? 'public, max-age=31536000, immutable' : 'private, max-age=3600'
  return reply
    .status(status)
    .headers({ ...uploadHeaders({ mimeType, name: file.name }) })
    .headers({ 'cache-control': isFinal ? cache : 'no-store', ...headers })
    .send(opened?.stream)
}

// Made on the first request and kept: the same picture is asked for in the same few sizes.
async function findResized(
  store: ObjectStore,
  file: FileRow,
  size: keyof typeof imageSizes,
  original: Form,
): Promise<Form> {
  const resized: Form = {
    key: resizedKey(file, size),
    mimeType: resizedType(file.mimeType),
    isFinal: true,
  }
  if (await store.stat(resized.key)) return resized
  try {
    const made = await store.withFile(file.objectKey, (path) => resizeTo(path, imageSizes[size]))
    if (!made) return original
    await store.put(resized.key, Readable.from([made.data]), {
      contentType: made.mimeType,
      maxBytes: made.data.length,
    })
    return resized
  } catch (error) {
    if (!isImageError(error)) throw error
    // What cannot be decoded here is shown as it is; so is, this once, what there was no time for.
    return { ...original, isFinal: error.code !== 'busy' && error.code !== 'timeout' }
  }
}

function resizedKey(file: FileRow, size: keyof typeof imageSizes): string {
  return `files/${file.id}/${size}`
}

/** Every object a file may have in the store. */
export function objectKeys(file: FileRow): string[] {
  const sizes = Object.keys(imageSizes) as (keyof typeof imageSizes)[]
  return [file.objectKey, ...(file.type === 'image' ? sizes.map((size) => resizedKey(file, size)) : [])]
}
