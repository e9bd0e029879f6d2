import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import { inTransaction, type Db, type Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { findFilesById, insertFile, updateFile, type FileRow } from './store.ts'
import type { Upload } from '../../platform/http/multipart.ts'
import { examine, type FileType } from './uploads.ts'

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
    const objectKey = `files/${id}/original`
    const { size } = await store.putFile(objectKey, file.spooled.path, { contentType: facts.mimeType })
    const at = now()
    await inTransaction(db, (tx) =>
      insertFile(tx, {
        id,
        userId: viewer.id,
        type,
        objectKey,
        name: preferredName ?? file.name,
        extension: facts.extension,
        mimeType: facts.mimeType,
        size,
        metadata: JSON.stringify(facts.metadata),
        altText,
        accessType,
        feedType: fields.feedType ?? null,
        status: 'transcoded',
        createdAt: at,
        updatedAt: at,
      }),
    )
    ids.push(id)
  }
  return ids
}

/** Changes the text that stands in for a file; its uploader's or an admin's right. */
export async function updateAltText(tx: Tx, viewer: Viewer, id: string, altText: string): Promise<void> {
  const file = await requireOwnFile(tx, viewer, id)
  await updateFile(tx, file.id, { altText, updatedAt: now() })
}

/** Deletes a file. The record stays, marked; the bytes go once the change is committed. */
export async function deleteFile(tx: Tx, viewer: Viewer, id: string): Promise<FileRow> {
  const file = await requireOwnFile(tx, viewer, id)
  await updateFile(tx, file.id, { isDeleted: true, deletedAt: now(), updatedAt: now() })
  return file
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
