import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { extname } from 'node:path'
import { fail } from '../../kernel/errors.ts'
import { inspectImage } from '../../platform/images/inspect.ts'
import { isImageError } from '../../platform/images/image-errors.ts'
import { stripPosition } from '../../platform/images/strip-position.ts'
import { probeVideo } from '../../platform/media-probe/probe-video.ts'
import { sniffType } from '../../platform/media-probe/sniff-type.ts'
import { isObjectStoreError } from '../../platform/object-store/object-store.ts'
import type { Spool, SpooledBody } from '../../platform/object-store/spool.ts'

export type FileType = 'image' | 'file' | 'video' | 'clip' | 'audio'

/** The largest upload of each kind, in bytes. */
export const maxBytes: Record<FileType, number> = {
  image: 2 ** 30,
  file: 2 ** 30,
  audio: 2 ** 30,
  video: 2 ** 31,
  clip: 2 ** 31,
}
/** The longest clip, in seconds. */
const maxClipSeconds = 15 * 60

/** A received part, on the local disk until it is stored or discarded. */
export interface ReceivedFile {
  spooled: SpooledBody
  name: string
}

export interface Upload {
  files: ReceivedFile[]
  /** The other parts of the form, in whatever order they came. */
  fields: Record<string, string>
}

/** Reads a whole multipart form, files to disk. On any error nothing is left behind. */
export async function receiveUpload(request: FastifyRequest, spool: Spool, type: FileType): Promise<Upload> {
  if (!request.isMultipart()) return fail('unsupportedMediaType', 'multipart/form-data is expected')
  const upload: Upload = { files: [], fields: {} }
  try {
    for await (const part of request.parts({
      limits: { files: 10, fields: 20, fileSize: maxBytes[type] + 1 },
    })) {
      if (part.type === 'file') upload.files.push(await receiveFile(part, spool, type))
      else upload.fields[part.fieldname] = String(part.value)
    }
    if (upload.files.length === 0) fail('badRequest', 'the form holds no file')
    return upload
  } catch (error) {
    await discardUpload(upload)
    throw asFailure(error)
  }
}

export async function discardUpload({ files }: Upload): Promise<void> {
  for (const { spooled } of files) await spooled.discard()
}

/** What the bytes of an upload say about themselves, whatever their sender called them. */
export interface FileFacts {
  mimeType: string
  extension: string
  metadata: Record<string, unknown>
}

/** Looks into a received file; refuses what is not of its type. An image loses its position on the way. */
export async function examine({ spooled, name }: ReceivedFile, type: FileType): Promise<FileFacts> {
  const sniffed = await sniffType(spooled.path)
  const extension = sniffed?.extension ?? extname(name).slice(1).toLowerCase()
  const mimeType = sniffed?.mimeType ?? 'application/octet-stream'
  if (type === 'file') return { mimeType, extension, metadata: {} }
  if (type === 'image') return { mimeType, extension, metadata: await examineImage(spooled.path) }
  const media = await probeVideo(spooled.path)
  const isRight = media !== null && (type === 'audio' ? media.width === null : media.width !== null)
  if (!isRight) return fail('badRequest', `the file is not of type ${type}`)
  if (type === 'clip' && media.durationSeconds > maxClipSeconds)
    fail('badRequest', 'a clip lasts 15 minutes at most')
  const { durationSeconds, width, height, hasAudio } = media
  return { mimeType, extension, metadata: { durationSeconds, width, height, hasAudio } }
}

async function examineImage(path: string): Promise<Record<string, unknown>> {
  try {
    const image = await inspectImage(path)
    if (!image) return fail('badRequest', 'the file is not an image')
    await stripPosition(path)
    const { width, height, exif } = image
    return { width, height, exif, gps: {}, isFull: true }
  } catch (error) {
    if (isImageError(error)) return fail('badRequest', `the image is unusable: ${error.code}`)
    throw error
  }
}

async function receiveFile(part: MultipartFile, spool: Spool, type: FileType): Promise<ReceivedFile> {
  const spooled = await spool.receive(part.file, { maxBytes: maxBytes[type] })
  return { spooled, name: part.filename.slice(0, 255) || 'upload' }
}

function asFailure(error: unknown): unknown {
  if (!isObjectStoreError(error)) return error
  try {
    if (error.code === 'tooLarge') fail('tooLarge')
    if (error.code === 'storageFull') fail('unavailable', 'the storage is full')
    return fail('badRequest', 'the upload ended early')
  } catch (failure) {
    return failure
  }
}
