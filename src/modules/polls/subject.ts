import { paths } from '../../kernel/paths.ts'
import type { PollSubject } from './events.ts'
import type { ReadablePoll } from './queries.ts'

/** What an event tells of a poll. One whose post waits for review is not told of to those who listen to its community. */
export function subjectOf({
  poll,
  post,
}: { poll: Pick<ReadablePoll['poll'], 'id'> } & Pick<ReadablePoll, 'post'>): PollSubject {
  const isHeard = post !== undefined && !post.isDeleted && post.feedType === 'published'
  return { id: poll.id, path: isHeard ? paths.post(post.targetType, post.targetId, post.id) : null }
}
