import type { Insertable, Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'

export interface FileRow {
  id: string
  userId: string
  type: string
  objectKey: string
  name: string
  extension: string
  mimeType: string
  size: number
  metadata: Json
  altText: string | null
  accessType: string
  feedType: string | null
  status: string
  isDeleted: boolean
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export async function findFilesById(db: Db, ids: string[]): Promise<FileRow[]> {
  return db.selectFrom('files').selectAll().where('id', '=', anyOf(ids)).execute()
}

export async function insertFile(tx: Tx, file: Insertable<DB['files']>): Promise<void> {
  await tx.insertInto('files').values(file).execute()
}

export async function updateFile(tx: Tx, id: string, changes: Updateable<DB['files']>): Promise<void> {
  await tx.updateTable('files').set(changes).where('id', '=', id).execute()
}
