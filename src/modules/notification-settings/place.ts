import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { findChannel, findChannelId, isMember, requireReadableChannel } from '../channels/index.ts'
import { requireMember } from '../communities/index.ts'
import type { SettingQuery } from './schema.ts'
import type { SettingKey } from './store.ts'

/** Which settings are meant. Those of a channel or community are its members'; fails for others, as for what is hidden. */
export async function findPlace(db: Db, viewer: Viewer, query: SettingQuery): Promise<SettingKey> {
  const { level, channelId, communityId } = query
  switch (level) {
    case 'network':
      if (!isAdmin(viewer)) fail('permissionDenied', 'what holds for everybody is for admins')
      return networkSetting
    case 'user':
      return userSetting(viewer.id)
    case 'channel': {
      if (channelId === undefined) return fail('invalid', 'channelId is required for a channel')
      const id = (await findChannel(db, channelId))?.id ?? (await findChannelId(db, channelId))
      const { channel, member } = await requireReadableChannel(db, viewer, id ?? fail('notFound', 'channel'))
      if (channel.isDeleted) fail('notFound', 'channel')
      if (!isMember(member)) fail('notAMember')
      return { userId: viewer.id, level, targetId: channel.id }
    }
    case 'community': {
      if (communityId === undefined) return fail('invalid', 'communityId is required for a community')
      const { community } = await requireMember(db, viewer, communityId)
      return { userId: viewer.id, level, targetId: community.id }
    }
  }
}

export const networkSetting: SettingKey = { userId: '', level: 'network', targetId: '' }

export function userSetting(userId: string): SettingKey {
  return { userId, level: 'user', targetId: '' }
}
