import { sql, type Insertable, type Selectable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { containing } from '../../platform/database/containing.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import type { QueryRulesQuery, RuleList } from './schema.ts'

export type RuleRow = Selectable<DB['moderationRules']>
export type SettingsRow = Selectable<DB['moderationSettings']>

/** All rules of both lists that are in force. */
export async function findRulesInForce(
  db: Db,
): Promise<Pick<RuleRow, 'list' | 'pattern' | 'isMatchExactWord'>[]> {
  return db
    .selectFrom('moderationRules')
    .select(['list', 'pattern', 'isMatchExactWord'])
    .where('isDeleted', '=', false)
    .where('isEnabled', '=', true)
    .execute()
}

/** Rules of a list, those of some patterns or all, in the order they were made. */
export async function findRules(db: Db, list: RuleList, patterns?: string[]): Promise<RuleRow[]> {
  let query = db.selectFrom('moderationRules').selectAll().where('list', '=', list)
  if (patterns) query = query.where('pattern', '=', anyOf(patterns))
  return query.where('isDeleted', '=', false).orderBy('createdAt').orderBy('id').execute()
}

export async function queryRuleRows(
  db: Db,
  list: RuleList,
  { regex, sortBy, options = {} }: QueryRulesQuery,
  cursor: Cursor,
): Promise<RuleRow[]> {
  let query = db
    .selectFrom('moderationRules')
    .selectAll()
    .where('list', '=', list)
    .where('isDeleted', '=', false)
  if (regex) query = query.where(sql`lower(pattern)`, 'like', containing(regex))
  if (options.after !== undefined) query = query.where('createdAt', '>', toTime(options.after))
  if (options.before !== undefined) query = query.where('createdAt', '<', toTime(options.before))
  const page = keysetPage(
    query,
    cursor,
    [
      { column: 'createdAt', type: 'time' },
      { column: 'id', type: 'text' },
    ],
    sortBy === 'firstCreated' ? 'asc' : 'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}

export async function countRules(db: Db, list: RuleList): Promise<number> {
  const { count } = await db
    .selectFrom('moderationRules')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('list', '=', list)
    .where('isDeleted', '=', false)
    .executeTakeFirstOrThrow()
  return count
}

/** Adds rules; one that was there before comes back to life. Absent, `isMatchExactWord` stays as it was. */
export async function upsertRules(
  tx: Tx,
  rules: (Insertable<DB['moderationRules']> & { id: string })[],
  isMatchExactWord: boolean | undefined,
): Promise<void> {
  if (rules.length === 0) return
  await tx
    .insertInto('moderationRules')
    .values(rules.map((rule) => ({ ...rule, isMatchExactWord: isMatchExactWord ?? false })))
    .onConflict((c) =>
      c.constraint('moderation_rules_pattern').doUpdateSet((e) => ({
        isMatchExactWord: isMatchExactWord ?? e.ref('moderationRules.isMatchExactWord'),
        // Added again on purpose; but adding a living rule that is switched off does not switch it on.
        isEnabled: sql<boolean>`moderation_rules.is_enabled or moderation_rules.is_deleted`,
        isDeleted: false,
        updatedAt: e.ref('excluded.updatedAt'),
      })),
    )
    .execute()
}

/** Deletes the rules of a list whose patterns are not among these. */
export async function deleteRulesExcept(tx: Tx, list: RuleList, patterns: string[], at: Date): Promise<void> {
  await tx
    .updateTable('moderationRules')
    .set({ isDeleted: true, updatedAt: at })
    .where('list', '=', list)
    .where('isDeleted', '=', false)
    .where(sql<boolean>`pattern <> all(${patterns}::text[])`)
    .execute()
}

/** Deletes rules; answers how many there were. */
export async function deleteRules(tx: Tx, list: RuleList, ids: string[], at: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('moderationRules')
    .set({ isDeleted: true, updatedAt: at })
    .where('list', '=', list)
    .where('id', '=', anyOf(ids))
    .where('isDeleted', '=', false)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function switchRuleRow(
  tx: Tx,
  list: RuleList,
  id: string,
  isEnabled: boolean,
  at: Date,
): Promise<RuleRow | undefined> {
  return tx
    .updateTable('moderationRules')
    .set({ isEnabled, updatedAt: at })
    .where('list', '=', list)
    .where('id', '=', id)
    .where('isDeleted', '=', false)
    .returningAll()
    .executeTakeFirst()
}

export async function findSettings(db: Db): Promise<SettingsRow | undefined> {
  return db.selectFrom('moderationSettings').selectAll().executeTakeFirst()
}

export async function upsertSettings(tx: Tx, settings: Insertable<DB['moderationSettings']>): Promise<void> {
  const { createdAt: _createdAt, ...changes } = settings
  await tx
    .insertInto('moderationSettings')
    .values(settings)
    .onConflict((c) => c.column('id').doUpdateSet(changes))
    .execute()
}

function toTime(milliseconds: number): Date {
  const time = new Date(milliseconds)
  return Number.isNaN(time.getTime()) ? fail('invalid', 'options.after, options.before') : time
}
