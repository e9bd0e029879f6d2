import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { membershipId } from './members/id.ts'
import { loadMembers, type ChannelMemberRow } from './members/store.ts'
import { findUnread, type Unread } from './members/unread-store.ts'
import { presentChannel, presentChannelInWebhook, presentChannelUser } from './present.ts'
import { Channel, ChannelInWebhook, ChannelUser } from './schema.ts'
import { findChannelsById, type ChannelRow } from './store.ts'

/** Channels, by internal id. Deleted ones stay readable: clients read what they have just deleted. */
const channelResource: Resource<ChannelRow> = {
  name: 'channels',
  load: async (db, ids) => byId(await findChannelsById(db, ids), (row) => row.id),
  references: (row, viewer) => ({
    files: [row.avatarFileId],
    messagePreviews: [row.previewId],
    // Of a conversation all members are shown, of other channels the viewer's own membership.
    channelUsers: (row.memberIds ?? (viewer ? [viewer.id] : [])).map((userId) =>
      membershipId(row.id, userId),
    ),
  }),
}

/** The channel beside a page of memberships: it must not bring the viewer's own among those asked for. */
const channelOfMembersResource: Resource<ChannelRow> = {
  ...channelResource,
  name: 'channelsOfMembers',
  references: (row) => ({ files: [row.avatarFileId], messagePreviews: [row.previewId] }),
}

const channelUserResource: Resource<ChannelMemberRow, Unread> = {
  name: 'channelUsers',
  load: loadMembers,
  references: (row) => ({ users: [row.userId] }),
  async viewerState({ db, viewer }, rows) {
    const own = [...rows.values()].filter((row) => row.userId === viewer.id && row.membership === 'member')
    if (own.length === 0) return new Map()
    const ids = own.map((row) => row.channelId)
    return byId(await findUnread(db, viewer.id, ids), (unread) => membershipId(unread.channelId, viewer.id))
  },
}

export const channelSlots = {
  channels: slot(channelResource, Channel, presentChannel),
  channelsOfMembers: slot(channelOfMembersResource, Channel, presentChannel),
  channelsInWebhook: slot(channelResource, ChannelInWebhook, presentChannelInWebhook),
  channelUsers: slot(channelUserResource, ChannelUser, presentChannelUser),
}

const beside = shape('channelUsers', 'messagePreviews', 'messageFeedsInfo', 'users', 'files')
export const channelShape = shape('channels', beside)
/** With the memberships asked for, and no others. */
export const channelWithMembersShape = shape({ channels: 'channelsOfMembers' }, beside)
