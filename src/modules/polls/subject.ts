import { paths } from '../../kernel/paths.ts'
import type { PollSubject } from './events.ts'
import type { ReadablePoll } from './queries.ts'

/** What an event tells of a poll. One whose post waits for review is not told of to those who listen to its community. */
export function subjectOf({
  poll: { id },
  post,
}: { poll: Pick<ReadablePoll['poll'], 'id'> } & Pick<ReadablePoll, 'post'>): PollSubject {
  if (!post || post.isDeleted || post.feedType !== 'published') return { id, paths: [] }
  // Some clients listen to the post people see, others to the attached one that holds the poll.
  const shownBy = new Set([post.id, post.childId])
  return { id, paths: [...shownBy].map((postId) => paths.post(post.targetType, post.targetId, postId)) }
}
