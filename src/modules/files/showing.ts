import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { readSettings } from '../network-settings/index.ts'
import { findFilesById, type FileRow } from './store.ts'

/**
 * A file that something is about to show, of one of some types. `named` is what the request calls it. Fails with
 * `notFound` for one that is not there, `badRequest` for one of another type.
 */
export function requireShowable(
  file: FileRow | undefined,
  named: string,
  types?: readonly string[] | null,
): FileRow {
  if (!file || file.isDeleted) return fail('notFound', named)
  if (types && !types.includes(file.type)) fail('badRequest', `${named} is of type ${file.type}`)
  return file
}

/** Reads such a file; see `requireShowable`. */
export async function requireFile(
  db: Db,
  id: string,
  named: string,
  types?: readonly string[],
): Promise<FileRow> {
  return requireShowable((await findFilesById(db, [id]))[0], named, types)
}

/** Reads such files by id; see `requireShowable`. */
export async function requireFiles(
  db: Db,
  ids: readonly string[],
  types?: readonly string[],
): Promise<Map<string, FileRow>> {
  const found = new Map((await findFilesById(db, [...new Set(ids)])).map((file) => [file.id, file]))
  for (const id of ids) requireShowable(found.get(id), `file ${id}`, types)
  return found
}

export type VideoSetting = Awaited<ReturnType<typeof readSettings<'feed-setting'>>>['post']['video']

/** Fails with `badRequest` for a video that the network does not let people show there. Clips have a bound of their own. */
export function requireAllowedVideo(file: FileRow, { allowed, maxDurationSeconds }: VideoSetting): void {
  if (file.type !== 'video') return
  if (!allowed) fail('badRequest', 'videos are not shown here')
  const { durationSeconds } = file.metadata as { durationSeconds?: number }
  if (durationSeconds !== undefined && durationSeconds > maxDurationSeconds)
    fail('badRequest', `the video is over ${maxDurationSeconds} s`)
}

/** The picture that stands for a video or clip until it plays; `null` for one that has none. */
export function thumbnailOf(file: FileRow): string | null {
  return (file.metadata as { thumbnailFileId?: string }).thumbnailFileId ?? null
}
