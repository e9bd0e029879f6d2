import type { Db } from '../../kernel/database.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireModerationAdmin } from './actions.ts'
import type { QueryRulesQuery, RuleList } from './schema.ts'
import { findRules, queryRuleRows, type RuleRow } from './store.ts'

/** A page of a list's rules. */
export async function queryRules(
  db: Db,
  viewer: Viewer,
  list: RuleList,
  query: QueryRulesQuery,
): Promise<Page<RuleRow>> {
  requireModerationAdmin(viewer)
  const { after: _after, before: _before, ...options } = query.options ?? {}
  const cursor = parsePage({ ...query, options })
  const rows = await queryRuleRows(db, list, query, cursor)
  return cutPage(rows, cursor, (row) => [row.createdAt.getTime(), row.id])
}

/** The rules of a list with exactly these patterns, or all of them. */
export async function listRules(
  db: Db,
  viewer: Viewer,
  list: RuleList,
  patterns: string[] | undefined,
): Promise<RuleRow[]> {
  requireModerationAdmin(viewer)
  return findRules(db, list, patterns)
}
