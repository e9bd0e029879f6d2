import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { answerContent, uploadHeaders } from '../../platform/http/content-response.ts'
import { isImageError } from '../../platform/images/image-errors.ts'
import { imageSizes, resizeTo } from '../../platform/images/resize.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import type { FileRow } from './store.ts'

export type ImageSize = keyof typeof imageSizes | 'full'

/** Sends a file's bytes, or a smaller form of an image, with ranges and validators. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  file: FileRow,
  size: ImageSize,
): Promise<FastifyReply> {
  const key = size === 'full' || file.type !== 'image' ? file.objectKey : await resizedKey(store, file, size)
  const stat = await store.stat(key)
  if (!stat) return reply.status(404).send()
  const { status, headers, body } = answerContent(request, {
    size: stat.size,
    modifiedAt: file.createdAt,
    etag: `"${file.id}-${size}"`,
  })
  const cache = file.accessType === 'public' ? 'public, max-age=31536000, immutable' : 'private, max-age=3600'
  reply.status(status).headers({ ...uploadHeaders(file), 'cache-control': cache, ...headers })
  if (body === 'none') return reply.send()
  const opened = await store.get(key, body === 'whole' ? undefined : body)
  return reply.send(opened?.stream ?? Readable.from([]))
}

// Made on the first request and kept: the same picture is asked for in the same few sizes.
async function resizedKey(store: ObjectStore, file: FileRow, size: keyof typeof imageSizes): Promise<string> {
  const key = `files/${file.id}/${size}`
  if (await store.stat(key)) return key
  try {
    const resized = await store.withFile(file.objectKey, (path) => resizeTo(path, imageSizes[size]))
    if (!resized) return file.objectKey
    await store.put(key, Readable.from([resized.data]), {
      contentType: resized.mimeType,
      maxBytes: resized.data.length,
    })
    return key
  } catch (error) {
    // An outline that cannot be decoded here is still shown as it is.
    if (isImageError(error)) return file.objectKey
    throw error
  }
}
