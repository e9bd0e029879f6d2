import type { Insertable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'

/** A file of a recording to send. */
export interface StoredRecording {
  objectKey: string
  contentType: string
  kind: string
  createdAt: Date
}

export async function insertRecordings(
  tx: Tx,
  recordings: Insertable<DB['videoStreamRecordings']>[],
): Promise<void> {
  await tx.insertInto('videoStreamRecordings').values(recordings).execute()
}

export async function findRecording(
  db: Db,
  streamId: string,
  name: string,
): Promise<StoredRecording | undefined> {
  return db
    .selectFrom('videoStreamRecordings')
    .select(['objectKey', 'contentType', 'kind', 'stopTime as createdAt'])
    .where('streamId', '=', streamId)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** Forgets the recordings of a stream; answers their keys in the object store. */
export async function deleteRecordings(tx: Tx, streamId: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('videoStreamRecordings')
    .where('streamId', '=', streamId)
    .returning('objectKey')
    .execute()
  return rows.map((row) => row.objectKey)
}
