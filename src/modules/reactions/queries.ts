import type { Db } from '../../kernel/database.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { QueryReactionsQuery } from './schema.ts'
import { queryReactionRows, type ReactionRow } from './store.ts'

/** A page of who reacted to an object, newest first. `id` is the object's internal id. */
export async function queryReactors(
  db: Db,
  id: string,
  query: QueryReactionsQuery,
): Promise<Page<ReactionRow>> {
  const cursor = parsePage(query)
  const fetched = await queryReactionRows(
    db,
    { type: query.referenceType, id, name: query.reactionName },
    cursor,
  )
  return cutPage(fetched, cursor, (row) => [row.createdAt.getTime(), row.id])
}
