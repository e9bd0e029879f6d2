import { networkId } from '../../kernel/paths.ts'
import { defineEvent } from '../../kernel/outbox/event.ts'
import {
  concerned,
  createdNotification,
  envelope,
  envelopeAs,
  everyoneLeaves,
  joinedNotification,
  joins,
  leaves,
  members,
  membersAndConcerned,
  webhook,
  type ChannelSubject,
} from './event-forms.ts'

export const channelCreated = defineEvent<ChannelSubject>({
  name: 'channel.created',
  audiences: members,
  access: joins,
  realtime: envelopeAs('member'),
  webhooks: [webhook('channel.didCreate', concerned), createdNotification],
})

export const channelUpdated = defineEvent<ChannelSubject>({
  name: 'channel.updated',
  audiences: members,
  realtime: envelope,
  webhooks: [webhook('channel.didUpdate', ({ actor }) => ({ userId: actor.userId }))],
})

/** Told beside the update, to webhooks only, when the metadata changed. */
export const channelMetadataUpdated = defineEvent<ChannelSubject>({
  name: 'channel.metadata-updated',
  audiences: () => [],
  realtime: null,
  webhooks: [webhook('channel.didUpdateMeta', ({ actor }) => ({ userId: actor.userId }))],
})

/** Clients know no event of closing: they take it as the update it is. */
export const channelClosed = defineEvent<ChannelSubject>({
  name: 'channel.closed',
  audiences: members,
  access: everyoneLeaves,
  realtime: { ...envelope, name: 'channel.updated' },
  webhooks: [webhook('channel.didClose', () => ({}))],
})

export const channelDeleted = defineEvent<ChannelSubject>({
  name: 'channel.deleted',
  audiences: members,
  access: everyoneLeaves,
  realtime: envelope,
})

export const channelJoined = defineEvent<ChannelSubject>({
  name: 'channel.joined',
  audiences: members,
  access: joins,
  realtime: envelopeAs('member'),
  webhooks: [webhook('channel.didJoin', concerned), joinedNotification],
})

export const channelLeft = defineEvent<ChannelSubject>({
  name: 'channel.left',
  audiences: membersAndConcerned,
  access: leaves,
  realtime: envelopeAs('none'),
  webhooks: [webhook('channel.didLeave', concerned)],
})

export const channelMembersAdded = defineEvent<ChannelSubject>({
  name: 'channel.membersAdded',
  audiences: members,
  access: joins,
  realtime: envelopeAs('member'),
  webhooks: [webhook('channel.didAddUsers', ({ actor }, userIds) => ({ userIds, adderId: actor.userId }))],
})

export const channelMembersRemoved = defineEvent<ChannelSubject>({
  name: 'channel.membersRemoved',
  audiences: membersAndConcerned,
  access: leaves,
  realtime: envelopeAs('none'),
  webhooks: [
    webhook('channel.didRemoveUsers', ({ actor }, userIds) => ({ userIds, removerId: actor.userId })),
  ],
})

export const channelBanned = defineEvent<ChannelSubject>({
  name: 'channel.banned',
  audiences: membersAndConcerned,
  access: leaves,
  realtime: envelopeAs('banned'),
  webhooks: [webhook('channel.didBan', ({ actor }, userIds) => ({ userIds, actorId: actor.userId }))],
})

/** One for each user of a ban, to webhooks only. */
export const userBanned = defineEvent<ChannelSubject>({
  name: 'channel.user-banned',
  audiences: () => [],
  realtime: null,
  webhooks: [webhook('moderation.didBan', (_subject, [userId]) => ({ userId }))],
})

export const channelUnbanned = defineEvent<ChannelSubject>({
  name: 'channel.unbanned',
  audiences: membersAndConcerned,
  realtime: envelopeAs('none'),
})

export interface MutedSubject extends ChannelSubject {
  /** Until when, ISO 8601; a time gone by when it ended. */
  muteTimeout: string
  /** Public ids of the members concerned; absent when everybody is. */
  userPublicIds?: string[]
}

/** Flat, and by the internal id: the newer clients look the channel up by it. The older ones read the envelope. */
export const channelMuted = defineEvent<MutedSubject>({
  name: 'channel.setMuted',
  audiences: members,
  realtime: {
    ...envelope,
    extra: ({ id, muteTimeout, actor }) => ({ channelId: id, muteTimeout, actor: actor.userId, networkId }),
  },
})

/** Flat, and by public ids, as the clients read this one. */
export const channelMembersMuted = defineEvent<MutedSubject>({
  name: 'channel.setMutedUsers',
  audiences: membersAndConcerned,
  realtime: {
    ...envelope,
    extra: ({ channelId, muteTimeout, userPublicIds = [], actor }) => ({
      channelId,
      userIds: userPublicIds,
      muteTimeout,
      actor: actor.userId,
      networkId,
    }),
  },
})

export const channelEvents = [
  channelCreated,
  channelUpdated,
  channelMetadataUpdated,
  channelClosed,
  channelDeleted,
  channelJoined,
  channelLeft,
  channelMembersAdded,
  channelMembersRemoved,
  channelBanned,
  userBanned,
  channelUnbanned,
  channelMuted,
  channelMembersMuted,
]
