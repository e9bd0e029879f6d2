import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findFilesById } from '../files/index.ts'
import { attachmentTypes, type AttachmentType, type CreatePostBody } from './schema.ts'

/** What becomes a child post. */
export interface Attachment {
  dataType: string
  data: Record<string, unknown>
}

/** Attachment data types that carry no file but point at an object of another resource. */
const referenceTypes = { poll: 'pollId', liveStream: 'streamId', room: 'roomId' } as const

/**
 * The attachments of a new post: uploaded files by type, or one poll, live stream or room. Fails when a file is
 * missing or is not what it is attached as.
 */
export async function readAttachments(tx: Tx, body: CreatePostBody): Promise<Attachment[]> {
  const { dataType, data = {} } = body
  if (dataType !== undefined && dataType in referenceTypes) {
    const key = referenceTypes[dataType as keyof typeof referenceTypes]
    const id = data[key]
    if (typeof id !== 'string') return fail('invalid', `data.${key} is required for dataType ${dataType}`)
    return [{ dataType, data: { [key]: id } }]
  }
  const asked = [
    ...(body.attachments ?? []),
    ...(data.images ?? []).map((fileId) => ({ fileId, type: 'image' as const })),
    ...(data.files ?? []).map((fileId) => ({ fileId, type: 'file' as const })),
  ]
  if (asked.length > 10) fail('invalid', 'at most 10 attachments')
  const files = new Map(
    (
      await findFilesById(
        tx,
        asked.map(({ fileId }) => fileId),
      )
    ).map((file) => [file.id, file]),
  )
  return asked.map(({ fileId, type }) => {
    const file = files.get(fileId)
    if (!file || file.isDeleted) return fail('notFound', `file ${fileId}`)
    if (file.type !== type) return fail('badRequest', `file ${fileId} is not of type ${type}`)
    return { dataType: type, data: fileData(type, fileId) }
  })
}

function fileData(type: AttachmentType, fileId: string): Record<string, unknown> {
  if (type !== 'video') return { fileId }
  // One rendition until transcoding makes more; clients read each size by name.
  return {
    thumbnailFileId: null,
    videoFileId: { original: fileId, low: fileId, medium: fileId, high: fileId },
  }
}

/** What a post as a whole is: the one type of its attachments, `mixed`, or its own data type. */
export function structureTypeOf(dataType: string, attachments: Attachment[]): string {
  const types = new Set(attachments.map((attachment) => attachment.dataType))
  if (types.size > 1) return 'mixed'
  return [...types][0] ?? dataType
}

/** Whether a data type is the app's own: stored as it came, never read. */
export function isCustomType(dataType: string): boolean {
  return (
    dataType !== 'text' &&
    !(dataType in referenceTypes) &&
    !(attachmentTypes as readonly string[]).includes(dataType)
  )
}
