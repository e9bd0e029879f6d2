import { sql } from 'kysely'
import type { Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import type { Label } from './schema.ts'

export interface ModerationRow {
  id: string
  streamId: string
  flagLabels: Json
  terminateLabels: Json
  createdAt: Date
  updatedAt: Date
}

export async function findModerations(db: Db, ids: string[]): Promise<ModerationRow[]> {
  return db.selectFrom('videoStreamModerations').selectAll().where('id', '=', anyOf(ids)).execute()
}

/** Adds a label to what was found in a stream. */
export async function addLabel(
  tx: Tx,
  streamId: string,
  list: 'flagLabels' | 'terminateLabels',
  label: Label,
  at: Date,
): Promise<void> {
  const column = sql.ref(list)
  await tx
    .updateTable('videoStreamModerations')
    .set({
      [list]: sql`(${column}::jsonb || ${JSON.stringify([label])}::jsonb)::json`,
      updatedAt: at,
    })
    .where('streamId', '=', streamId)
    .execute()
}
