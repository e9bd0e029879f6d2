import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findFilesById } from '../files/index.ts'
import { channelCreated, channelUpdated } from './events.ts'
import { adjustMemberCounts, upsertMembers } from './member-store.ts'
import { may } from './policy.ts'
import { lockChannelFor, resolveMembers } from './queries.ts'
import {
  moderatorRole,
  type ChannelType,
  type CreateChannelBody,
  type CreateConversationBody,
  type UpdateChannelBody,
} from './schema.ts'
import { findByMembersKey, insertChannel, updateChannelRow } from './store.ts'

const maxMetadataBytes = 100_000
/** The year 9999 stands for ever. */
export const forever = new Date('9999-12-31T23:59:59.999Z')

/** A channel to make. Users by internal id; the creator is always a member. */
export interface NewChannel {
  type: ChannelType
  channelId?: string | undefined
  displayName?: string | undefined
  avatarFileId?: string | null | undefined
  metadata?: object | undefined
  tags?: string[] | undefined
  isPublic: boolean
  isMuted?: boolean | undefined
  communityId?: string | undefined
  postId?: string | undefined
  videoStreamId?: string | undefined
  roomId?: string | undefined
  membersKey?: string | undefined
  isDistinct?: boolean | undefined
  notificationMode?: string | undefined
  messageAutoDeleteEnabled?: boolean | undefined
  autoDeleteMessageByFlagLimit?: number | undefined
  memberIds?: string[] | undefined
}

/** Checks that what a live chat belongs to exists and may be chatted about by the viewer; fails otherwise. */
export interface Attachments {
  post?(tx: Tx, viewer: Viewer, postId: string): Promise<void>
  videoStream?(tx: Tx, viewer: Viewer, streamId: string): Promise<void>
  room?(tx: Tx, viewer: Viewer, roomId: string): Promise<void>
}

/** Makes a channel as the interface lets people make one. Answers its internal id. */
export async function createChannel(
  tx: Tx,
  viewer: Viewer,
  body: CreateChannelBody,
  attachments: Attachments,
): Promise<string> {
  const { userIds = [], postId, videoStreamId, roomId, type = 'community', ...rest } = body
  if (postId !== undefined && videoStreamId === undefined && roomId === undefined)
    fail('invalid', 'body/postId needs videoStreamId or roomId')
  if (videoStreamId !== undefined && postId === undefined) fail('invalid', 'body/videoStreamId needs postId')
  if (postId !== undefined) await attachments.post?.(tx, viewer, postId)
  if (videoStreamId !== undefined) await attachments.videoStream?.(tx, viewer, videoStreamId)
  if (roomId !== undefined) await attachments.room?.(tx, viewer, roomId)
  await requireAvatar(tx, body.avatarFileId)
  const members = await resolveMembers(tx, userIds)
  const { id } = await createChannelFor(tx, viewer, {
    ...rest,
    type,
    postId,
    videoStreamId,
    roomId,
    isPublic: body.isPublic ?? true,
    memberIds: members.map((user) => user.id),
  })
  return id
}

/** Makes a conversation, or finds the one these people have. Answers its internal id. */
export async function createConversation(tx: Tx, viewer: Viewer, body: CreateConversationBody): Promise<string> {
  await requireAvatar(tx, body.avatarFileId)
  const others = await resolveMembers(tx, body.userIds)
  const memberIds = [...new Set([viewer.id, ...others.map((user) => user.id)])]
  const { userIds: _userIds, isDistinct = true, ...rest } = body
  const membersKey = isDistinct ? memberIds.toSorted().join() : undefined
  const existing = membersKey && (await findByMembersKey(tx, membersKey))
  if (existing) return existing.id
  const created = await createChannelFor(tx, viewer, {
    ...rest,
    type: 'conversation',
    isPublic: false,
    isDistinct,
    membersKey,
    memberIds,
  })
  return created.id
}

/**
 * Makes a channel for whatever needs one; checks nothing. With a `membersKey` another transaction may have been first:
 * then that one's channel is answered.
 */
export async function createChannelFor(
  tx: Tx,
  viewer: Viewer,
  channel: NewChannel,
): Promise<{ id: string; channelId: string }> {
  const { memberIds = [], channelId, metadata = {}, isMuted = false, displayName = null, ...columns } = channel
  requireSmall(metadata)
  const id = newId()
  const at = now()
  const inserted = await insertChannel(tx, {
    ...columns,
    id,
    channelId: channelId ?? id,
    displayName,
    metadata: JSON.stringify(metadata),
    avatarFileId: channel.avatarFileId || null,
    creatorId: viewer.id,
    muteTimeout: isMuted ? forever : null,
    lastActivity: at,
    createdAt: at,
    updatedAt: at,
  })
  if (!inserted) return (await findByMembersKey(tx, channel.membersKey ?? '')) ?? fail('unexpected')
  // In a conversation nobody moderates anybody.
  const own = channel.type === 'conversation' ? ['member'] : ['member', moderatorRole]
  const others = memberIds.filter((userId) => userId !== viewer.id)
  await upsertMembers(tx, id, [viewer.id], { roles: own, at, segment: 0 })
  const added = await upsertMembers(tx, id, others, { roles: ['member'], at, segment: 0 })
  await adjustMemberCounts(tx, id, { members: 1 + added.length, moderators: own.length - 1 })
  await emit(tx, channelCreated, {
    actorId: viewer.id,
    subject: { id, type: channel.type, userIds: [viewer.id, ...added], actor: actorOf(viewer) },
  })
  return { id, channelId: channelId ?? id }
}

/** Changes what a channel shows and how it moderates. Answers its internal id. */
export async function updateChannel(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  body: UpdateChannelBody,
): Promise<string> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  // Whoever is in a conversation may name it.
  if (channel.type !== 'conversation' && !may('EDIT_CHANNEL', viewer, member)) fail('permissionDenied')
  const { metadata, avatarFileId, ...changes } = body
  if (metadata) requireSmall(metadata)
  await requireAvatar(tx, avatarFileId)
  await updateChannelRow(tx, channel.id, {
    ...changes,
    ...(metadata && { metadata: JSON.stringify(metadata) }),
    ...(avatarFileId !== undefined && { avatarFileId: avatarFileId || null }),
    updatedAt: now(),
  })
  await emit(tx, channelUpdated, {
    actorId: viewer.id,
    subject: { id: channel.id, type: channel.type, actor: actorOf(viewer) },
  })
  return channel.id
}

async function requireAvatar(tx: Tx, fileId: string | null | undefined): Promise<void> {
  if (!fileId) return
  const [file] = await findFilesById(tx, [fileId])
  if (!file || file.isDeleted) fail('notFound', 'avatarFileId')
}

function requireSmall(metadata: object): void {
  if (jsonBytes(metadata) > maxMetadataBytes) fail('invalid', `metadata is over ${maxMetadataBytes} bytes`)
}

export function actorOf({ id, userId }: Viewer): { id: string; userId: string } {
  return { id, userId }
}
