import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findFilesById, type FileRow } from './store.ts'

/** A file that is there; fails with `notFound` for a deleted one too. */
export async function requireReadableFile(db: Db, id: string): Promise<FileRow> {
  const [file] = await listFiles(db, [id])
  return file && !file.isDeleted ? file : fail('notFound')
}

/** Files in the order asked; unknown ones are left out. */
export async function listFiles(db: Db, ids: string[]): Promise<FileRow[]> {
  const rows = new Map((await findFilesById(db, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => rows.get(id) ?? [])
}
