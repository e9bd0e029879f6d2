import { Readable } from 'node:stream'
import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import { takePicture } from '../../platform/media-probe/take-picture.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import { inTransaction, type Db, type Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { thumbnailOf } from './showing.ts'
import { findFilesById, insertFile, updateFile, type FileRow } from './store.ts'
import type { ReceivedFile, Upload } from '../../platform/http/multipart.ts'
import { examine, type FileFacts, type FileType } from './uploads.ts'

/** Stores the files of an upload, bytes first: a record never points at nothing. Answers their ids, in order. */
export async function storeUpload(
  db: Db,
  store: ObjectStore,
  viewer: Viewer,
  type: FileType,
  { files, fields }: Upload,
): Promise<string[]> {
  const accessType = readAccessType(fields.accessType)
  const altText = readText('altText', fields.altText, 180)
  const preferredName = readText('preferredFilename', fields.preferredFilename, 1024)
  const examined = []
  for (const file of files) examined.push({ file, facts: await examine(file, type) })
  const ids: string[] = []
  for (const { file, facts } of examined) {
    const id = newId()
    const put = { userId: viewer.id, accessType, feedType: fields.feedType ?? null }
    const picture = type === 'video' || type === 'clip' ? await storePicture(store, file, facts, put) : null
    const objectKey = originalKey(id)
    const { size } = await store.putFile(objectKey, file.spooled.path, { contentType: facts.mimeType })
    const named = { id, type, objectKey, name: preferredName ?? file.name, altText, size }
    const { extension, mimeType } = facts
    const metadata = JSON.stringify({ ...facts.metadata, ...(picture && { thumbnailFileId: picture.id }) })
    await inTransaction(db, async (tx) => {
      if (picture) await insertFile(tx, picture)
      await insertFile(tx, { ...put, ...named, extension, mimeType, metadata, ...newRecord() })
    })
    ids.push(id)
  }
  return ids
}

type Put = Pick<FileRow, 'userId' | 'accessType' | 'feedType'>

const originalKey = (id: string) => `files/${id}/original`

function newRecord() {
  const at = now()
  return { status: 'transcoded', createdAt: at, updatedAt: at }
}

/** Stores the picture that stands for a video until it plays; answers its record, `null` where none can be made. */
async function storePicture(
  store: ObjectStore,
  { spooled }: ReceivedFile,
  { mimeType }: FileFacts,
  put: Put,
) {
  const picture = await takePicture(spooled.path, mimeType)
  if (!picture) return null
  const { jpeg, width, height } = picture
  const id = newId()
  const objectKey = originalKey(id)
  const contentType = 'image/jpeg'
  const { size } = await store.put(objectKey, Readable.from([jpeg]), { contentType, maxBytes: jpeg.length })
  const metadata = JSON.stringify({ width, height, exif: {}, gps: {}, isFull: true })
  const named = { id, type: 'image', objectKey, name: 'thumbnail.jpg', extension: 'jpg', altText: null, size }
  return { ...put, ...named, mimeType: contentType, metadata, ...newRecord() }
}

/** Changes the text that stands in for a file; its uploader's or an admin's right. */
export async function updateAltText(tx: Tx, viewer: Viewer, id: string, altText: string): Promise<void> {
  const file = await requireOwnFile(tx, viewer, id)
  await updateFile(tx, file.id, { altText, updatedAt: now() })
}

/** Deletes a file, and a video's picture with it; answers both. The records stay, marked; the bytes go once the change is committed. */
export async function deleteFile(tx: Tx, viewer: Viewer, id: string): Promise<FileRow[]> {
  const file = await requireOwnFile(tx, viewer, id)
  const pictureId = thumbnailOf(file)
  const deleted = [file, ...(pictureId === null ? [] : await findFilesById(tx, [pictureId]))]
  for (const one of deleted)
    await updateFile(tx, one.id, { isDeleted: true, deletedAt: now(), updatedAt: now() })
  return deleted
}

async function requireOwnFile(tx: Tx, viewer: Viewer, id: string): Promise<FileRow> {
  const [file] = await findFilesById(tx, [id])
  if (!file || file.isDeleted) return fail('notFound')
  if (file.userId !== viewer.id && !isAdmin(viewer)) fail('permissionDenied')
  return file
}

function readAccessType(value = 'public'): 'public' | 'network' {
  return value === 'public' || value === 'network'
    ? value
    : fail('invalid', 'accessType is public or network')
}

function readText(name: string, value: string | undefined, maxLength: number): string | null {
  if (value === undefined || value === '') return null
  return value.length <= maxLength ? value : fail('invalid', `${name} is over ${maxLength} characters`)
}
