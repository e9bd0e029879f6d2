import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findFilesById, type FileRow } from './store.ts'

/** A file that was not deleted. Fails with `notFound`. */
export async function requireFile(db: Db, id: string): Promise<FileRow> {
  const [file] = await findFilesById(db, [id])
  return file && !file.isDeleted ? file : fail('notFound')
}

/** Files that exist, in the order asked. */
export async function findFilesInOrder(db: Db, ids: string[]): Promise<FileRow[]> {
  const rows = new Map((await findFilesById(db, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => rows.get(id) ?? [])
}
