import type { Db } from '../../kernel/database.ts'
import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { commentNotices, commentReactionNotices } from './comments.ts'
import type { Notice } from './notice.ts'
import { coHostInviteNotices, eventNotices, type CoHostInviteSubject } from './events.ts'
import { followNotices, joinRequestNotices, type FollowSubject, type JoinRequestSubject } from './people.ts'
import { postNotices, postReactionNotices } from './posts.ts'
import { findCommentFacts, findDoorkeepers, findEventFacts, findPostFacts } from './store.ts'

const onPosts = ['post.created', 'post.approved', 'post.updated', 'post.addReaction']
const onEvents = ['event.created', 'event.reminder', 'event.started']
const onComments = ['comment.created', 'comment.replied', 'comment.updated', 'comment.addReaction']

/**
 * What people are to be told of a batch of events, in order. Four queries for any number of events; what is gone by
 * now is told to nobody. The same event gives the same notices again.
 */
export async function readNotices(db: Db, events: DispatchedEvent[]): Promise<Notice[]> {
  const idsOf = (names: string[]) =>
    events.filter(({ name }) => names.includes(name)).map(({ subject }) => (subject as { id: string }).id)
  const asked = events.filter(({ name }) => name === 'communityJoinRequest.created')
  const [posts, comments, happenings, doorkeepers] = await Promise.all([
    findPostFacts(db, idsOf(onPosts)),
    findCommentFacts(db, idsOf(onComments)),
    findEventFacts(db, idsOf(onEvents)),
    findDoorkeepers(
      db,
      asked.map(({ subject }) => (subject as JoinRequestSubject).communityId),
    ),
  ])
  return events.flatMap((event) => {
    const { name, actorId, subject } = event
    if (actorId === null) return []
    const { id } = subject as { id: string }
    if (onPosts.includes(name)) {
      const post = posts.get(id)
      if (!post) return []
      return name === 'post.addReaction' ? postReactionNotices(event, post) : postNotices(event, post)
    }
    if (onComments.includes(name)) {
      const comment = comments.get(id)
      // What is on a story is gone in a day, and the clients have no way from a notice to it.
      if (!comment || comment.referenceType === 'story') return []
      return name === 'comment.addReaction'
        ? commentReactionNotices(event, comment)
        : commentNotices(event, comment)
    }
    if (onEvents.includes(name)) {
      const happening = happenings.get(id)
      return happening ? eventNotices(event, happening) : []
    }
    if (name === 'room.didCohostInvite') return coHostInviteNotices(event, subject as CoHostInviteSubject)
    if (name.startsWith('follow.')) return followNotices(event, subject as FollowSubject)
    if (name.startsWith('communityJoinRequest.')) {
      const request = subject as JoinRequestSubject
      return joinRequestNotices(event, request, doorkeepers.get(request.communityId) ?? [])
    }
    return []
  })
}
