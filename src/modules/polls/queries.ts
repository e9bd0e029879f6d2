import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { cutPage, parsePage, type Page } from '../../kernel/paging.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { canManagePoll } from './policy.ts'
import type { RequireReadablePost } from './post.ts'
import type { QueryVotersQuery } from './schema.ts'
import {
  findPollPost,
  findPollsById,
  queryVoterRows,
  type PollPost,
  type PollRow,
  type VoterRow,
} from './store.ts'

/** A poll and the post that shows it. */
export interface ReadablePoll {
  poll: PollRow
  post: PollPost | undefined
}

/**
 * A poll the viewer may read, deleted or not: one whose post they may read; until it is posted, its maker's own.
 * Fails with `notFound`.
 */
export async function requireReadablePoll(
  db: Db,
  requireReadablePost: RequireReadablePost,
  viewer: Viewer,
  id: string,
): Promise<ReadablePoll> {
  const [poll] = await findPollsById(db, [id])
  if (!poll) return fail('notFound')
  const post = await findPollPost(db, id)
  if (!canManagePoll(viewer, poll)) {
    if (!post) return fail('notFound')
    await requireReadablePost(db, viewer, post.childId)
  }
  return { poll, post }
}

/** Who chose an answer of a poll. */
export async function queryVoters(
  db: Db,
  { poll }: ReadablePoll,
  answerId: string,
  query: QueryVotersQuery,
): Promise<Page<VoterRow>> {
  if (!poll.answers.some((answer) => answer.id === answerId)) fail('notFound', `answer ${answerId}`)
  const cursor = parsePage(query)
  const rows = await queryVoterRows(db, answerId, query.sortBy ?? 'lastCreated', cursor)
  return cutPage(rows, cursor, (row) => [row.createdAt.getTime(), row.userId])
}
