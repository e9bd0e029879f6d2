import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireAllowedVideo, requireFiles, requireShowable, thumbnailOf } from '../files/index.ts'
import { readSettings } from '../network-settings/index.ts'
import type { AskedAttachment, CreatePostBody, EditPostBody } from './bodies.ts'
import { referenceKeys, type PostReferences, type ReferenceType } from './references.ts'
import { attachmentTypes } from './schema.ts'
import type { PostRow } from './store.ts'

/** What becomes a child post. */
export interface Attachment {
  dataType: string
  data: Record<string, unknown>
  productTags: unknown[]
}

const maxAttachments = 10

/**
 * The attachments of a new post: uploaded files by type, or one poll, live stream or room. Fails when a file is
 * missing or is not what it is attached as, or when the object is not the viewer's to post.
 */
export async function readAttachments(
  tx: Tx,
  viewer: Viewer,
  body: CreatePostBody,
  references: PostReferences,
): Promise<Attachment[]> {
  const { dataType, data = {} } = body
  if (dataType === undefined || !isReference(dataType)) return readFiles(tx, askedFiles(body))
  const key = referenceKeys[dataType]
  const id = data[key]
  if (typeof id !== 'string') return fail('invalid', `data.${key} is required for dataType ${dataType}`)
  if (askedFiles(body).length > 0) fail('badRequest', `a ${dataType} is posted without other attachments`)
  await references.find((reference) => reference.dataType === dataType)?.require(tx, viewer, id)
  return [{ dataType, data: { [key]: id }, productTags: [] }]
}

/** The files a body names: as attachments, or in the two lists of the oldest operation. */
export function askedFiles({
  attachments = [],
  data = {},
}: CreatePostBody | EditPostBody): AskedAttachment[] {
  const asked = [
    ...attachments,
    ...(data.images ?? []).map((fileId) => ({ fileId, type: 'image' as const })),
    ...(data.files ?? []).map((fileId) => ({ fileId, type: 'file' as const })),
  ]
  if (asked.length > maxAttachments) fail('invalid', `at most ${maxAttachments} attachments`)
  return asked
}

/** Checks files and forms the attachments they become, in the order asked. */
export async function readFiles(db: Db, asked: AskedAttachment[]): Promise<Attachment[]> {
  const files = await requireFiles(
    db,
    asked.map(({ fileId }) => fileId),
  )
  const { video } = (await readSettings(db, 'feed-setting')).post
  return asked.map((attachment) => {
    const { fileId, type, productTags = [] } = attachment
    const file = requireShowable(files.get(fileId), `file ${fileId}`, [type])
    requireAllowedVideo(file, video)
    return { dataType: type, data: fileData(attachment, thumbnailOf(file)), productTags }
  })
}

/** The file that something attached stands for. */
export function fileIdOf({ data }: Pick<PostRow, 'data'>): string | undefined {
  const { fileId, videoFileId } = data as { fileId?: string; videoFileId?: { original?: string } }
  return fileId ?? videoFileId?.original
}

/** What a child post shares with its parent, and its own times. */
type Common = Pick<
  PostRow,
  'targetType' | 'targetId' | 'feedId' | 'feedType' | 'publishedAt' | 'postedUserId'
> &
  Pick<PostRow, 'editedAt' | 'createdAt' | 'updatedAt'>

/** An attachment with the id of the child post it becomes. */
export interface Attached extends Attachment {
  id: string
}

/** The row of something attached to a post. */
export function childRow(
  common: Common,
  parentPostId: string,
  { id, dataType, data, productTags }: Attached,
) {
  return {
    ...common,
    id,
    parentPostId,
    dataType,
    structureType: dataType,
    data: JSON.stringify(data),
    productTags: JSON.stringify(productTags),
  }
}

function fileData(
  { fileId, type, displayMode, isMuted }: AskedAttachment,
  thumbnailFileId: string | null,
): Record<string, unknown> {
  if (type === 'clip')
    return {
      fileId,
      displayMode: displayMode ?? 'fill',
      isMuted: isMuted ?? false,
      ...(thumbnailFileId !== null && { thumbnailFileId }),
    }
  if (type !== 'video') return { fileId }
  // One rendition until transcoding makes more; clients read each size by name.
  return {
    thumbnailFileId,
    videoFileId: { original: fileId, low: fileId, medium: fileId, high: fileId },
  }
}

/** What a post as a whole is: the one type of its attachments, `mixed`, or its own data type. */
export function structureTypeOf(dataType: string, attachedTypes: readonly string[]): string {
  const types = new Set(attachedTypes)
  if (types.size > 1) return 'mixed'
  return [...types][0] ?? dataType
}

/** Whether a data type is the app's own: stored as it came, never read. */
export function isCustomType(dataType: string): boolean {
  return (
    dataType !== 'text' &&
    !isReference(dataType) &&
    !(attachmentTypes as readonly string[]).includes(dataType)
  )
}

function isReference(dataType: string): dataType is ReferenceType {
  return Object.hasOwn(referenceKeys, dataType)
}
