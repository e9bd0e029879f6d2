import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Cursor, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { QueryCommentsQuery } from './schema.ts'
import { findCommentIds, findCommentPlace, queryCommentRows, type CommentFilter } from './store.ts'
import { targetOf, type CommentTarget } from './target.ts'

/** Comments on one object the viewer may see: those at its top, the answers to one, or all. */
export async function queryComments(
  db: Db,
  viewer: Viewer,
  targets: CommentTarget[],
  query: QueryCommentsQuery,
): Promise<Page<{ id: string }>> {
  const { referenceType, parentId, sortBy, options = {} } = query
  const { id: referenceId } = await targetOf(targets, referenceType).resolve(
    db,
    viewer,
    query.referenceId,
    'look',
  )
  const filter: CommentFilter = {
    referenceType,
    referenceId,
    // Both names of one filter: a client that wants deleted ones too sends neither.
    isDeleted: query.isDeleted ?? (query.includeDeleted === false ? false : undefined),
    hasFlag: query.hasFlag,
    dataTypes: query.dataTypes?.values?.length ? query.dataTypes.values : undefined,
    matchType: query.dataTypes?.matchType ?? 'any',
    skip: options.skip ?? 0,
  }
  if (query.filterByParentId) filter.parentId = parentId ? await findParent(db, filter, parentId) : null
  const sort = sorts[sortBy]
  const cursor = await cursorOf(db, query, filter, sort.column)
  const rows = await queryCommentRows(db, filter, sort, cursor)
  return cutPage(rows, cursor, (row) => [row[sort.column].getTime(), row.id])
}

/** Internal ids of comments by the ids clients know, in the order asked. Whether each may be seen is judged later. */
export async function listComments(db: Db, commentIds: string[]): Promise<string[]> {
  const found = await findCommentIds(db, commentIds)
  return commentIds.flatMap((commentId) => found.get(commentId) ?? [])
}

const sorts = {
  firstCreated: { column: 'createdAt', order: 'asc' },
  lastCreated: { column: 'createdAt', order: 'desc' },
  firstUpdated: { column: 'updatedAt', order: 'asc' },
  lastUpdated: { column: 'updatedAt', order: 'desc' },
} as const

async function findParent(db: Db, { referenceType, referenceId }: CommentFilter, commentId: string) {
  const parent = await findCommentPlace(db, { commentId, referenceType, referenceId })
  return parent?.id ?? fail('notFound', 'parentId')
}

// Besides a token, a page may be asked for around a comment: by its id or its number among those of the object.
async function cursorOf(
  db: Db,
  query: QueryCommentsQuery,
  { referenceType, referenceId }: CommentFilter,
  column: 'createdAt' | 'updatedAt',
): Promise<Cursor> {
  const { options = {} } = query
  const cursor = parsePage(query)
  if (options.token !== undefined || query.token !== undefined) return cursor
  const limit = options.limit ?? query.limit ?? options.pageSize ?? options.first ?? options.last
  if (limit !== undefined) cursor.limit = limit
  const backwards = options.after === undefined && (options.before ?? options.last) !== undefined
  if (backwards) cursor.direction = 'before'
  const edge = options.after ?? options.before
  if (edge === undefined) return cursor
  const by = /^\d{1,9}$/.test(edge) ? { segmentNumber: Number(edge) } : { commentId: edge }
  const place = await findCommentPlace(db, { ...by, referenceType, referenceId })
  if (!place) return fail('notFound', `no comment ${edge} here`)
  return { ...cursor, key: [place[column].getTime(), place.id] }
}
