import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { findMembers, type ChannelMemberRow } from './member-store.ts'
import { presentChannel, presentChannelInWebhook, presentChannelUser } from './present.ts'
import { Channel, ChannelInWebhook, ChannelUser } from './schema.ts'
import { findChannelsById, type ChannelRow } from './store.ts'

/** The id of a membership in envelopes. */
export function membershipId(channelId: string, userId: string): string {
  return `${channelId}:${userId}`
}

function splitMembershipId(id: string): { channelId: string; userId: string } {
  const [channelId = '', userId = ''] = id.split(':')
  return { channelId, userId }
}

/** Channels, by internal id. Deleted ones stay readable: clients read what they have just deleted. */
const channelResource: Resource<ChannelRow> = {
  name: 'channels',
  load: async ({ db }, ids) => byId(await findChannelsById(db, ids), (row) => row.id),
  references: (row, viewer) => ({
    files: [row.avatarFileId],
    messagePreviews: [row.previewId],
    // Of a conversation all members are shown, of other channels the viewer's own membership.
    channelUsers: (row.memberIds ?? (viewer ? [viewer.id] : [])).map((userId) => membershipId(row.id, userId)),
  }),
}

const channelUserResource: Resource<ChannelMemberRow> = {
  name: 'channelUsers',
  load: async ({ db }, ids) =>
    byId(await findMembers(db, ids.map(splitMembershipId)), (row) => membershipId(row.channelId, row.userId)),
  references: (row) => ({ users: [row.userId] }),
}

export const channelSlots = {
  channels: slot(channelResource, Channel, presentChannel),
  channelsInWebhook: slot(channelResource, ChannelInWebhook, presentChannelInWebhook),
  channelUsers: slot(channelUserResource, ChannelUser, presentChannelUser),
}

export const channelShape = shape(
  'channels',
  'channelUsers',
  'messagePreviews',
  'messageFeedsInfo',
  'users',
  'files',
)
