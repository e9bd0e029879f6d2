import { channelMembers, paths } from '../../kernel/paths.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import type { WebhookForm } from '../../kernel/outbox/event.ts'
import { notificationForm } from '../../kernel/outbox/notification.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { membershipId } from './members/id.ts'
import { channelShape } from './resource.ts'
import type { ChannelType } from './schema.ts'

/** What the events of channels are about. */
export interface ChannelSubject {
  /** Internal and public id. */
  id: string
  channelId: string
  type: ChannelType
  /** Internal ids of the members concerned. */
  userIds?: string[]
  /** Who did it. */
  actor: { id: string; userId: string }
}

export function actorOf({ id, userId }: Viewer): ChannelSubject['actor'] {
  return { id, userId }
}

/** Everyone in the channel, except that live channels are heard only by those who subscribed to them. */
export function members({ id, type }: ChannelSubject) {
  return type === 'live' ? [paths.channel(id)] : [paths.channel(id), channelMembers(id, 'channels')]
}

/** Those concerned may be no members any more when it is told, so they are named. */
export function membersAndConcerned(subject: ChannelSubject) {
  return [
    ...members(subject),
    ...(subject.userIds ?? []).map((userId) => paths.smartFeed(userId, 'channels')),
  ]
}

/** Members hear of a channel from the event on that made them so, and of that which ends it. */
export const joins = ({ id, userIds = [] }: ChannelSubject) => ({ userIds, joins: id })
export const leaves = ({ id, userIds = [] }: ChannelSubject) => ({ userIds, leaves: id })
export const everyoneLeaves = ({ id }: ChannelSubject) => ({ userIds: 'everyone' as const, leaves: id })

// A channel may begin with 1,000 members: an event shows so many of them.
const shownMembers = 100

interface ToldMember {
  userInternalId: string
  membership: string
  isBanned: boolean
}

/**
 * The memberships concerned as the event made them: clients act on that, and somebody added may be gone again by the
 * time it is told.
 */
export function envelopeAs(membership: 'member' | 'none' | 'banned') {
  return {
    ...envelope,
    reshape(data: Record<string, unknown>, { userIds = [] }: ChannelSubject) {
      const channelUsers = (data.channelUsers as ToldMember[]).map((member) =>
        userIds.includes(member.userInternalId)
          ? { ...member, membership, isBanned: membership === 'banned' }
          : member,
      )
      return { ...data, channelUsers }
    },
  }
}

/** The channel and the memberships concerned. */
export const envelope = {
  shape: channelShape,
  roots: ({ id, userIds = [] }: ChannelSubject) => ({
    channels: [id],
    channelUsers: userIds.slice(0, shownMembers).map((userId) => membershipId(id, userId)),
  }),
}

interface WebhookChannel {
  avatarFileId: string | null
}
interface WebhookFile {
  fileId: string
}
interface WebhookUser {
  userId: string
}

/** Channels in webhooks carry their avatar itself. */
function withAvatars({ files, channel, ...data }: Record<string, unknown>): Record<string, unknown> {
  const byId = new Map((files as WebhookFile[]).map((file) => [file.fileId, file]))
  return {
    channel: (channel as WebhookChannel[]).map(({ avatarFileId, ...rest }) => ({
      ...rest,
      avatar: (avatarFileId !== null && byId.get(avatarFileId)) || null,
    })),
    ...data,
  }
}

/** The webhook twin of an event; `named` adds the public ids that it tells beside the envelope. */
export function webhook(
  name: string,
  named: (subject: ChannelSubject, userIds: string[]) => Record<string, unknown>,
): WebhookForm<ChannelSubject> {
  return {
    name,
    shape: shape({ channel: 'channelsInWebhook', users: 'usersShort' }, 'files'),
    roots: ({ id, userIds, actor }) => ({ channel: [id], users: userIds ?? [actor.id] }),
    reshape: (data, subject) => {
      const userIds = (data.users as WebhookUser[]).map((user) => user.userId)
      return { ...withAvatars(data), ...named(subject, userIds) }
    },
  }
}

/** Names the users concerned. */
export const concerned = (_subject: ChannelSubject, userIds: string[]) => ({ userIds })

/** Whoever was put into a new channel hears of it, but not who made it. */
export const createdNotification = notificationForm<ChannelSubject>('channel.created', {
  shape: shape('channels', 'users', 'files'),
  roots: ({ id, userIds = [], actor }) => ({ channels: [id], users: [...userIds, actor.id] }),
})

/** The members of the channel hear of who joined. */
export const joinedNotification = notificationForm<ChannelSubject>('channel.joined', {
  shape: shape('channels', 'users', 'files'),
  roots: ({ id, userIds = [] }) => ({ channels: [id], users: userIds }),
})
