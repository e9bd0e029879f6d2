import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireFile } from '../files/index.ts'
import { actorOf, type ChannelSubject } from './event-forms.ts'
import {
  channelClosed,
  channelCreated,
  channelDeleted,
  channelMetadataUpdated,
  channelUpdated,
} from './events.ts'
import { requireOwnMembers } from './members/actions.ts'
import { adjustMemberCounts, archiveRow, countArchived, upsertMembers } from './members/store.ts'
import { forever } from './moderation.ts'
import { canEndChannel, isMember, may } from './policy.ts'
import { lockChannelFor, resolveMembers } from './queries.ts'
import {
  moderatorRole,
  type ChannelType,
  type CreateChannelBody,
  type CreateConversationBody,
  type UpdateChannelBody,
} from './schema.ts'
import {
  findByMembersKey,
  insertChannel,
  lockChannels,
  updateChannelRow,
  type ChannelFacts,
} from './store.ts'

const maxMetadataBytes = 100_000
const maxArchived = 100

/** A channel to make. Users by internal id; the creator is always a member. */
export interface NewChannel {
  /** Its internal id, when that must equal something else's. */
  id?: string | undefined
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
  if (body.avatarFileId) await requireFile(tx, body.avatarFileId, 'avatarFileId', ['image'])
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
export async function createConversation(
  tx: Tx,
  viewer: Viewer,
  body: CreateConversationBody,
): Promise<string> {
  if (body.avatarFileId) await requireFile(tx, body.avatarFileId, 'avatarFileId', ['image'])
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
  const {
    memberIds = [],
    channelId,
    metadata = {},
    isMuted = false,
    displayName = null,
    ...columns
  } = channel
  requireSmall(metadata)
  const id = channel.id ?? newId()
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
  const own = channel.type === 'conversation' ? [] : [moderatorRole]
  const others = memberIds.filter((userId) => userId !== viewer.id)
  await upsertMembers(tx, id, [viewer.id], { roles: own, at, segment: 0 })
  const added = await upsertMembers(tx, id, others, { roles: [], at, segment: 0 })
  await adjustMemberCounts(tx, id, { members: 1 + added.length, moderators: own.length })
  const created = { id, channelId: channelId ?? id }
  await emit(tx, channelCreated, {
    actorId: viewer.id,
    subject: { ...created, type: channel.type, userIds: [viewer.id, ...added], actor: actorOf(viewer) },
  })
  return created
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
  const mayEdit = channel.type === 'conversation' ? isMember(member) : may('EDIT_CHANNEL', viewer, member)
  if (!mayEdit) fail('permissionDenied')
  const { metadata, avatarFileId, ...changes } = body
  if (metadata) requireSmall(metadata)
  if (avatarFileId) await requireFile(tx, avatarFileId, 'avatarFileId', ['image'])
  await updateChannelRow(tx, channel.id, {
    ...changes,
    ...(metadata && { metadata: JSON.stringify(metadata) }),
    ...(avatarFileId !== undefined && { avatarFileId: avatarFileId || null }),
    updatedAt: now(),
  })
  const happening = { actorId: viewer.id, subject: subjectOf(channel, viewer) }
  await emit(tx, channelUpdated, happening)
  if (metadata) await emit(tx, channelMetadataUpdated, happening)
  return channel.id
}

/** Changes what a channel (internal id) shows along with what it belongs to; checks nothing. */
export async function updateChannelFor(
  tx: Tx,
  viewer: Viewer,
  id: string,
  changes: Partial<Pick<NewChannel, 'displayName' | 'avatarFileId' | 'isPublic' | 'notificationMode'>>,
): Promise<void> {
  const [channel] = await lockChannels(tx, [id])
  if (!channel || channel.isDeleted) return
  await updateChannelRow(tx, id, { ...changes, updatedAt: now() })
  await emit(tx, channelUpdated, { actorId: viewer.id, subject: subjectOf(channel, viewer) })
}

/** Ends writing and memberships; what was said stays. Answers the internal id. */
export async function closeChannel(tx: Tx, viewer: Viewer, channelId: string): Promise<string> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireOwnMembers(channel)
  if (!canEndChannel(viewer, channel, member)) fail('permissionDenied')
  if (channel.isClosed) return channel.id
  await updateChannelRow(tx, channel.id, {
    isClosed: true,
    memberCount: 0,
    moderatorMemberCount: 0,
    updatedAt: now(),
  })
  await emit(tx, channelClosed, { actorId: viewer.id, subject: subjectOf(channel, viewer) })
  return channel.id
}

/** Deletes; whoever could read the channel can still look up that it is deleted. */
export async function deleteChannel(tx: Tx, viewer: Viewer, channelId: string): Promise<void> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  requireOwnMembers(channel)
  if (!canEndChannel(viewer, channel, member)) fail('permissionDenied')
  await deleteChannelFor(tx, viewer, channel.id)
}

/** Deletes a channel (internal id) along with what it belonged to; checks nothing. */
export async function deleteChannelFor(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const [channel] = await lockChannels(tx, [id])
  if (!channel || channel.isDeleted) return
  const at = now()
  // The same people may begin a distinct conversation anew.
  await updateChannelRow(tx, id, { isDeleted: true, deletedAt: at, membersKey: null, updatedAt: at })
  await emit(tx, channelDeleted, { actorId: viewer.id, subject: subjectOf(channel, viewer) })
}

/** Puts a conversation away for the viewer, or takes it out again. Answers the internal id. */
export async function archiveChannel(
  tx: Tx,
  viewer: Viewer,
  channelId: string,
  archived: boolean,
): Promise<string> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId)
  if (channel.type !== 'conversation') fail('forbidden', 'only conversations are archived')
  if (!member || !isMember(member)) return fail('notAMember')
  if ((member.archivedAt !== null) === archived) return channel.id
  if (archived && (await countArchived(tx, viewer.id)) >= maxArchived)
    fail('forbidden', `at most ${maxArchived} channels are archived`)
  await archiveRow(tx, channel.id, viewer.id, archived ? now() : null)
  return channel.id
}

function subjectOf({ id, channelId, type }: ChannelFacts, viewer: Viewer): ChannelSubject {
  return { id, channelId, type, actor: actorOf(viewer) }
}

function requireSmall(metadata: object): void {
  if (jsonBytes(metadata) > maxMetadataBytes) fail('invalid', `metadata is over ${maxMetadataBytes} bytes`)
}
