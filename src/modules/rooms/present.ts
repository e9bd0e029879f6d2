import { iso } from '../../kernel/schema.ts'
import { paths } from '../../kernel/paths.ts'
import { recordingUrl, thumbnailUrl, watcherUrls, type StreamAddresses } from '../streams/index.ts'
import { isOnAir } from './policy.ts'
import type { Room } from './schema.ts'
import type { RoomRow } from './store.ts'

/** Stands before the ids of rooms where they share a name space with streams: in addresses of media. */
export const prefix = 'room-'

/** What one viewer is to a room; for everybody where a room is told of to many at once. */
export interface RoomState {
  isReadable: boolean
  isBanned: boolean
  /** Opens what there is to watch. */
  query: string
}

/** A room as one viewer sees it. No form of a room holds its key. */
export function presentRoom(row: RoomRow, state: RoomState, addresses: StreamAddresses): Room {
  const { query, isBanned } = state
  const name = prefix + row.id
  const isPlaying = isOnAir(row) && row.hasMedia && !isBanned
  return {
    _id: row.id,
    roomId: row.id,
    type: row.type,
    status: row.status,
    title: row.title,
    description: row.description,
    thumbnailFileId: row.thumbnailFileId,
    metadata: row.metadata as Room['metadata'],
    createdBy: row.userPublicId,
    creatorInternalId: row.userId,
    liveChatEnabled: row.liveChatEnabled,
    liveChannelEnabled: row.liveChatEnabled,
    liveChannelId: row.channelId,
    participants: row.participants.map(({ type, userId, userPublicId, canManageProductTags }) => ({
      type,
      userId: userPublicId,
      userInternalId: userId,
      canManageProductTags,
    })),
    livePlaybackUrl: isPlaying ? watcherUrls(addresses, name, query).hls.url : null,
    liveThumbnailUrl: isPlaying ? thumbnailUrl(addresses, name, query) : null,
    recordedPlaybackInfos: isBanned ? [] : presentRecordings(row, addresses, query),
    durationSeconds: durationOf(row),
    parentRoomId: row.parentId,
    childRoomIds: row.childIds,
    referenceId: row.postId,
    referenceType: row.postId === null ? null : 'post',
    targetId: row.targetPublicId,
    targetType: row.targetType,
    targetVisibility: visibilityOf(row),
    moderationId: row.moderationId,
    moderation: {
      flagLabels: row.flagLabels,
      terminateLabels: row.terminateLabels,
      updatedAt: iso(row.moderatedAt ?? row.createdAt),
    },
    path: paths.room(row.id),
    isDeleted: row.isDeleted,
    deletedBy: row.deletedByPublicId,
    liveAt: iso(row.liveAt),
    endedAt: iso(row.endedAt),
    recordedAt: iso(row.recordedAt),
    deletedAt: iso(row.deletedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

/** The files of a finished recording that a player plays whole. */
export function playableRecordings({ status, recordings }: RoomRow): string[] {
  return status === 'recorded'
    ? recordings.filter((file) => file.kind === 'mp4').map((file) => file.name)
    : []
}

function presentRecordings(row: RoomRow, addresses: StreamAddresses, query: string) {
  const urlOf = (name: string) => recordingUrl(addresses, prefix + row.id, name, query)
  const picture = row.recordings.find((file) => file.kind === 'picture')
  const thumbnail = picture ? urlOf(picture.name) : null
  return playableRecordings(row).map((name) => ({ url: urlOf(name), thumbnailUrl: thumbnail }))
}

/** Of a recording its length; else how long the room was on the air. */
function durationOf({ recordings, liveAt, endedAt }: RoomRow): number | null {
  const recorded = Math.max(0, ...recordings.map((file) => file.duration))
  if (recorded > 0) return Math.round(recorded)
  return liveAt && endedAt ? Math.round((endedAt.getTime() - liveAt.getTime()) / 1000) : null
}

function visibilityOf({ targetType, isCommunityOpen }: RoomRow): Room['targetVisibility'] {
  if (targetType === null) return null
  return targetType === 'community' && isCommunityOpen !== true ? 'private' : 'public'
}
