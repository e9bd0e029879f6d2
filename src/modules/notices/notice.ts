/** What somebody may be told of, as the tray of the published clients tells it apart. */
export type NoticeKind =
  | 'post'
  | 'poll'
  | 'live_stream'
  | 'comment'
  | 'reply'
  | 'mention_in_post'
  | 'mention_in_poll'
  | 'mention_in_comment'
  | 'mention_in_reply'
  | 'reaction_on_post'
  | 'reaction_on_comment'
  | 'reaction_on_reply'
  | 'join_request'
  | 'respond_on_join_request'
  | 'follow'
  | 'follow_request'
  | 'follow_accepted'
  | 'event_created'
  | 'event_reminder'
  | 'event_started'
  | 'room_cohost_invite'

/** What was done: while it stands, the notice of it does. */
export type ActType =
  | 'post'
  | 'comment'
  | 'reaction'
  | 'follow'
  | 'followRequest'
  | 'followAcceptance'
  | 'joinRequest'
  | 'joinResponse'
  | 'event'
  | 'invitation'

/** One thing somebody did, and whom it concerns. Ids are internal unless said otherwise. */
export interface Notice {
  kind: NoticeKind
  eventId: string
  actorId: string
  occurredAt: Date
  /** One person, or the members of a community. */
  audience: { type: 'user' | 'community'; id: string }
  /** Where it happened. */
  target: { type: string; id: string }
  /** What of one day is one to the reader: reactions to one post, posts in one community. */
  subjectId: string
  /** The day it is gathered under. */
  day: Date
  act: { type: ActType; id: string }
  reference: { type: 'post' | 'content' | 'story' | 'event'; id: string } | null
  /** What a tap opens, by public id; null for what was done itself. */
  actionReferenceId: string | null
  /** Of an answer: the comments above it, by public id. */
  parentId: string | null
  rootId: string | null
}
