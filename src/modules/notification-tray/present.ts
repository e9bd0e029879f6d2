import { iso } from '../../kernel/schema.ts'
import type { NoticeKind } from '../notices/index.ts'
import type { ItemRow } from './list-store.ts'
import type { NotificationTrayItem } from './schema.ts'
import { describeItem } from './text.ts'

type Naming = Pick<NotificationTrayItem, 'actionType' | 'trayItemCategory'>

/** How each kind is named on the wire. What has no category of its own goes without one. */
const naming: Record<NoticeKind, Naming> = {
  post: { actionType: 'post' },
  poll: { actionType: 'poll' },
  live_stream: { actionType: 'post' },
  comment: { actionType: 'comment' },
  reply: { actionType: 'reply' },
  mention_in_post: { actionType: 'mention', trayItemCategory: 'mention_in_post' },
  mention_in_poll: { actionType: 'mention', trayItemCategory: 'mention_in_poll' },
  mention_in_comment: { actionType: 'mention', trayItemCategory: 'mention_in_comment' },
  mention_in_reply: { actionType: 'mention', trayItemCategory: 'mention_in_reply' },
  reaction_on_post: { actionType: 'reaction', trayItemCategory: 'reaction_on_post' },
  reaction_on_comment: { actionType: 'reaction', trayItemCategory: 'reaction_on_comment' },
  reaction_on_reply: { actionType: 'reaction', trayItemCategory: 'reaction_on_reply' },
  join_request: { actionType: 'join_request' },
  respond_on_join_request: { actionType: 'join_request', trayItemCategory: 'respond_on_join_request' },
  follow: { actionType: 'user', trayItemCategory: 'follow' },
  follow_request: { actionType: 'user', trayItemCategory: 'follow' },
  follow_accepted: { actionType: 'user', trayItemCategory: 'follow' },
  event_created: { actionType: 'event', trayItemCategory: 'event_created' },
  event_reminder: { actionType: 'event', trayItemCategory: 'event_reminder' },
  event_started: { actionType: 'event', trayItemCategory: 'event_started' },
  room_cohost_invite: { actionType: 'invitation', trayItemCategory: 'room_cohost_invite' },
}

const never = new Date(0)

export function presentItem(row: ItemRow): NotificationTrayItem {
  const { actors, parentId, rootId, referenceId, referenceType } = row
  const { actionType, trayItemCategory } = naming[row.kind]
  const byPublicId = actionType === 'user' ? actors[0]!.publicId : row.latestObjectId
  const isAnswer = actionType === 'comment' || actionType === 'reply'
  return {
    _id: row.id,
    lastSeenAt: iso(row.lastSeenAt ?? never),
    lastOccurredAt: iso(row.lastOccurredAt),
    actors: actors.map(({ id, publicId, lastActedAt }) => ({
      _id: id,
      publicId,
      lastActedAt: iso(new Date(lastActedAt)),
    })),
    actorsCount: row.actorsCount,
    ...(trayItemCategory && { trayItemCategory }),
    targetId: row.targetId,
    targetType: row.targetType,
    ...(referenceId !== null && referenceType !== null && { referenceId, referenceType }),
    actionType,
    actionReferenceId: row.actionReferenceId ?? byPublicId,
    ...(parentId !== null && { parentId }),
    ...(rootId !== null && { rootId }),
    ...(isAnswer && { latestCommentId: row.latestObjectId }),
    ...describeItem(row),
    daySegment: iso(row.day),
  }
}
