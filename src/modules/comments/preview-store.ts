import { sql, type RawBuilder } from 'kysely'

/** How many comments something brings along. */
const previews = 2

/**
 * SQL: the newest comments at the top of a row, newest first, by internal or public id. The row is of `table` in the
 * query around it, and counts its comments.
 */
export function newestComments(
  referenceType: 'post' | 'story',
  table: 'posts' | 'stories',
  column: 'id' | 'comment_id',
): RawBuilder<string[]> {
  return sql<string[]>`case when ${sql.ref(`${table}.comments_count`)} = 0 then '{}' else array(
    select ${sql.ref(`comment.${column}`)} from comments comment
    where comment.reference_type = ${sql.lit(referenceType)} and comment.reference_id = ${sql.ref(`${table}.id`)}
      and comment.parent_id is null and not comment.is_deleted
    order by comment.created_at desc, comment.id desc limit ${sql.lit(previews)}
  ) end`
}
