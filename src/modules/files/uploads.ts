import type { FastifyRequest } from 'fastify'
import { extname } from 'node:path'
import { fail } from '../../kernel/errors.ts'
import { inspectImage } from '../../platform/images/inspect.ts'
import { isImageError } from '../../platform/images/image-errors.ts'
import { stripPosition } from '../../platform/images/strip-position.ts'
import { probeVideo } from '../../platform/media-probe/probe-video.ts'
import { sniffType } from '../../platform/media-probe/sniff-type.ts'
import { isObjectStoreError } from '../../platform/object-store/object-store.ts'
import type { Spool } from '../../platform/object-store/spool.ts'
import { receiveForm, type ReceivedFile, type Upload } from '../../platform/http/multipart.ts'

export type FileType = 'image' | 'file' | 'video' | 'clip' | 'audio'

/** The largest upload of each kind, in bytes. */
const maxBytes: Record<FileType, number> = {
  image: 2 ** 30,
  file: 2 ** 30,
  audio: 2 ** 30,
  video: 2 ** 31,
  clip: 2 ** 31,
}
/** The longest clip, in seconds. */
const maxClipSeconds = 15 * 60

/** Reads an upload: a form with at least one file. */
export async function receiveUpload(request: FastifyRequest, spool: Spool, type: FileType): Promise<Upload> {
  if (!request.isMultipart()) return fail('unsupportedMediaType', 'multipart/form-data is expected')
  try {
    const upload = await receiveForm(request, spool, maxBytes[type])
    return upload.files.length > 0 ? upload : fail('badRequest', 'the form holds no file')
  } catch (error) {
    if (!isObjectStoreError(error)) throw error
    if (error.code === 'tooLarge') return fail('tooLarge')
    if (error.code === 'aborted') return fail('badRequest', 'the upload ended early')
    throw error
  }
}

/** What the bytes of an upload say about themselves, whatever their sender called them. */
export interface FileFacts {
  mimeType: string
  extension: string
  metadata: Record<string, unknown>
}

/** Looks into a received file; refuses what is not of its type. Images lose their position, under any type. */
export async function examine({ spooled, name }: ReceivedFile, type: FileType): Promise<FileFacts> {
  const sniffed = await sniffType(spooled.path)
  const extension = sniffed?.extension ?? extname(name).slice(1).toLowerCase()
  const mimeType = sniffed?.mimeType ?? 'application/octet-stream'
  if (type === 'file') {
    if (mimeType.startsWith('image/')) await forgetPosition(spooled.path)
    return { mimeType, extension, metadata: {} }
  }
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

// A file may be anything, so a picture that cannot be read is none.
async function forgetPosition(path: string): Promise<void> {
  try {
    await stripPosition(path)
  } catch (error) {
    if (!isImageError(error)) throw error
  }
}
