import type { Db } from '../../kernel/database.ts'
import { notificationKey, type Announce, type Notification } from '../../kernel/outbox/notification.ts'
import { readTemplates, type NotifiableName } from '../notification-settings/index.ts'
import { announcedOnly } from './announced-only.ts'
import { chatPushes } from './chat.ts'
import { findHidden } from './hidden.ts'
import type { PushNotice } from './notice.ts'
import { findRecipients } from './recipients-store.ts'
import { socialPushes } from './social.ts'

/** Of more people a notification is a broadcast: it names the place they are in. */
const listedPeople = 100

// What is pushed by one name is told to webhooks by another; what is not here is told to none.
const webhookNames: Partial<Record<NotifiableName, string>> = {
  'channel.created': 'channel.created',
  'channel.joined': 'channel.joined',
  'conversation-channel.joined': 'channel.created',
  'text-mention-message.created': 'message.created',
  'message.created': 'message.created',
  'conversation-message.created': 'message.created',
  'conversation-text-message.created': 'message.created',
  'conversation-image-message.created': 'message.created',
  'conversation-file-message.created': 'message.created',
  'post.created': 'post.created',
  'video-streaming-post.created': 'post.created',
  'post.approved': 'post.approved',
  'post.need-reviewing': 'post.need-reviewing',
  'post.reacted': 'post.reacted',
  'text-mention-post.created': 'mention-post.created',
  'text-mention-user-feed-post.created': 'mention-user-feed-post.created',
  'comment.created': 'comment.created',
  'comment.replied': 'comment.replied',
  'comment.reacted': 'comment.reacted',
  'text-mention-comment.created': 'mention-comment.created',
  'text-mention-user-feed-comment.created': 'mention-user-feed-comment.created',
  'text-mention-comment.replied': 'mention-comment.replied',
  'text-mention-user-feed-comment.replied': 'mention-user-feed-comment.replied',
  'follow.created': 'follow.created',
  'follow.requested': 'follow.requested',
  'follow.accepted': 'follow.accepted',
  'video-streaming.didStart': 'video-streaming.started',
}

/**
 * The notifications that webhooks tell of: texts and people as they are pushed, whether or not anybody has a device.
 * The same queries for any number of events.
 */
export const announce: Announce = async (db, events) => {
  const templates = await readTemplates(db)
  const made = await Promise.all(
    [chatPushes, socialPushes, announcedOnly].map((noticesOf) => noticesOf(db, events, templates)),
  )
  const notices = made.flat().filter(({ eventName }) => eventName in webhookNames)
  const recipients = await recipientsOf(
    db,
    notices.filter(({ isOn }) => isOn),
  )
  const told = new Map<string, Notification>()
  for (const notice of notices) {
    const key = notificationKey(notice.eventId, webhookNames[notice.eventName]!)
    const people = recipients.get(notice.id) ?? []
    told.set(key, joined(told.get(key), notice, people))
  }
  return told
}

async function recipientsOf(db: Db, notices: PushNotice[]): Promise<Map<string, string[]>> {
  if (notices.length === 0) return new Map()
  const asked = notices.map(({ id, postId, audience }) => ({
    id,
    postId,
    userIds: audience.type === 'users' ? audience.userIds : [],
  }))
  return findRecipients(db, notices, await findHidden(db, asked), listedPeople + 1)
}

/** One webhook tells of all that one event gives rise to: of a message, those it mentions beside the others. */
function joined(before: Notification | undefined, notice: PushNotice, people: string[]): Notification {
  const { title, body, audience, data } = notice
  const isBroadcast = before?.isBroadcast === true || people.length > listedPeople
  const place =
    audience.type === 'channel' ? data.channelId : audience.type === 'community' ? audience.id : data.actorId
  const listed = [...new Set([...(before?.targetIds ?? []), ...people])].sort()
  return {
    title,
    body,
    isBroadcast,
    targetIds: isBroadcast ? [place!] : listed,
    notify: before?.notify === true || people.length > 0,
  }
}
