import { Type, type Static } from 'typebox'
import { OneOf, Text, Timestamp } from '../../kernel/schema.ts'

/** When the viewer last looked at the tray, and when something last came into it: the tray is new while that is later. */
export const TraySeen = Type.Object({ lastTraySeenAt: Timestamp, lastTrayOccurredAt: Timestamp })
export type TraySeen = Static<typeof TraySeen>

export const MarkTraySeenBody = Type.Object({ lastSeenAt: Timestamp })
export const TrayMarked = Type.Object({ lastSeenAt: Timestamp })

const trayItemCategories = [
  'mention_in_post',
  'mention_in_comment',
  'mention_in_reply',
  'mention_in_poll',
  'reaction_on_post',
  'reaction_on_comment',
  'reaction_on_reply',
  'respond_on_join_request',
  'follow',
  'event_created',
  'event_reminder',
  'event_started',
  'room_cohost_invite',
] as const

const actionTypes = [
  'post',
  'poll',
  'comment',
  'reaction',
  'mention',
  'reply',
  'join_request',
  'user',
  'event',
  'invitation',
] as const

export const NotificationTrayItem = Type.Object({
  _id: Type.String(),
  /** 1970 until it was first seen: clients compare it with `lastOccurredAt` as text. */
  lastSeenAt: Timestamp,
  lastOccurredAt: Timestamp,
  /** The latest first, ten at most. */
  actors: Type.Array(Type.Object({ _id: Type.String(), publicId: Type.String(), lastActedAt: Timestamp })),
  actorsCount: Type.Integer(),
  trayItemCategory: Type.Optional(OneOf(trayItemCategories)),
  targetId: Type.String(),
  targetType: Type.String(),
  referenceId: Type.Optional(Type.String()),
  referenceType: Type.Optional(Type.String()),
  actionType: OneOf(actionTypes),
  actionReferenceId: Type.String(),
  parentId: Type.Optional(Type.String()),
  rootId: Type.Optional(Type.String()),
  latestCommentId: Type.Optional(Type.String()),
  text: Type.String(),
  templatedText: Type.String(),
  /** The start of the day (UTC) whose happenings it gathers. */
  daySegment: Timestamp,
})
export type NotificationTrayItem = Static<typeof NotificationTrayItem>

export const MarkItemsSeenBody = Type.Object({
  trayItems: Type.Array(Type.Object({ id: Text(100, 1), lastSeenAt: Type.Optional(Timestamp) }), {
    minItems: 1,
    maxItems: 100,
  }),
})
export type MarkItemsSeenBody = Static<typeof MarkItemsSeenBody>
export const ItemsMarked = Type.Object({
  trayItems: Type.Array(Type.Object({ id: Type.String(), lastSeenAt: Timestamp })),
})
