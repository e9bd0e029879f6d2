import { channelMembers, paths } from '../../kernel/paths.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { defineEvent, type WebhookForm } from '../../kernel/outbox/event.ts'
import { channelShape, membershipId } from './resource.ts'
import type { ChannelType } from './schema.ts'

export interface ChannelSubject {
  id: string
  type: ChannelType
  /** Internal ids of the members concerned. */
  userIds?: string[]
  /** Who did it. */
  actor: { id: string; userId: string }
}

/** Everyone in the channel, except that live channels are heard only by those who subscribed to them. */
function members({ id, type }: ChannelSubject) {
  return type === 'live' ? [paths.channel(id)] : [paths.channel(id), channelMembers(id, 'channels')]
}
/** Those concerned are no members any more when it is told, so they are named. */
function membersAndConcerned(subject: ChannelSubject) {
  return [...members(subject), ...(subject.userIds ?? []).map((userId) => paths.smartFeed(userId, 'channels'))]
}

// A channel may begin with 1,000 members: an event shows so many of them.
const shownMembers = 100

/** Members hear of a channel from the event on that made them so, and of that which ends it. */
const joins = ({ id, userIds = [] }: ChannelSubject) => ({ userIds, joins: id })
const leaves = ({ id, userIds = [] }: ChannelSubject) => ({ userIds, leaves: id })

const realtime = {
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

/** The webhook twin of an event; `named` adds the ids that it tells beside the envelope. */
function webhook(
  name: string,
  named: (subject: ChannelSubject, userIds: string[]) => Record<string, unknown>,
): WebhookForm<ChannelSubject>[] {
  return [
    {
      name,
      shape: shape({ channel: 'channelsInWebhook', users: 'usersShort' }, 'files'),
      roots: ({ id, userIds, actor }) => ({ channel: [id], users: userIds ?? [actor.id] }),
      reshape: (data, subject) => ({
        ...withAvatars(data),
        ...named(subject, (data.users as WebhookUser[]).map((user) => user.userId)),
      }),
    },
  ]
}

const concerned = (_subject: ChannelSubject, userIds: string[]) => ({ userIds })

export const channelCreated = defineEvent<ChannelSubject>({
  name: 'channel.created',
  access: joins,
  audiences: members,
  realtime,
  webhooks: webhook('channel.didCreate', concerned),
})
export const channelUpdated = defineEvent<ChannelSubject>({
  name: 'channel.updated',
  audiences: members,
  realtime,
  webhooks: webhook('channel.didUpdate', ({ actor }) => ({ userId: actor.userId })),
})
export const channelJoined = defineEvent<ChannelSubject>({
  name: 'channel.joined',
  access: joins,
  audiences: members,
  realtime,
  webhooks: webhook('channel.didJoin', concerned),
})
export const channelLeft = defineEvent<ChannelSubject>({
  name: 'channel.left',
  access: leaves,
  audiences: membersAndConcerned,
  realtime,
  webhooks: webhook('channel.didLeave', concerned),
})
export const channelMembersAdded = defineEvent<ChannelSubject>({
  name: 'channel.membersAdded',
  access: joins,
  audiences: members,
  realtime,
  webhooks: webhook('channel.didAddUsers', ({ actor }, userIds) => ({ userIds, adderId: actor.userId })),
})
export const channelMembersRemoved = defineEvent<ChannelSubject>({
  name: 'channel.membersRemoved',
  access: leaves,
  audiences: membersAndConcerned,
  realtime,
  webhooks: webhook('channel.didRemoveUsers', ({ actor }, userIds) => ({ userIds, removerId: actor.userId })),
})

export const channelEvents = [
  channelCreated,
  channelUpdated,
  channelJoined,
  channelLeft,
  channelMembersAdded,
  channelMembersRemoved,
]
