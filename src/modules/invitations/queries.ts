import type { Db } from '../../kernel/database.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { QueryInvitationsQuery } from './schema.ts'
import { queryInvitationRows, type InvitationScope } from './store.ts'
import type { Targets } from './targets.ts'

/** Invitations to one target, for those who may invite to it; without a target, those the viewer sent. */
export async function queryInvitations(
  db: Db,
  targets: Targets,
  viewer: Viewer,
  query: QueryInvitationsQuery,
): Promise<Page<{ id: string }>> {
  const { targetId, type, targetType } = query
  if (targetId === undefined) return page(db, { createdBy: viewer.id }, query)
  const asked = [...targets.values()].filter(
    (target) =>
      (type ?? target.type) === target.type && (targetType ?? target.targetType) === target.targetType,
  )
  for (const target of asked) await target.requireInviter(db, viewer, targetId)
  return asked.length === 0 ? { rows: [], paging: {} } : page(db, {}, query)
}

/** The viewer's own invitations. */
export async function queryMyInvitations(
  db: Db,
  viewer: Viewer,
  query: QueryInvitationsQuery,
): Promise<Page<{ id: string }>> {
  return page(db, { userId: viewer.id }, query)
}

async function page(
  db: Db,
  scope: InvitationScope,
  query: QueryInvitationsQuery,
): Promise<Page<{ id: string }>> {
  const cursor = parsePage(query)
  const rows = await queryInvitationRows(db, scope, query, cursor)
  return cutPage(rows, cursor, (row) => [row.createdAt.getTime(), row.id])
}
