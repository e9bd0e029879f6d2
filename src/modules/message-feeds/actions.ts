import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { isMember, lockChannelFor, may, type ChannelFacts, type ChannelMemberRow } from '../channels/index.ts'
import { messageFeedCreated, messageFeedDeleted, messageFeedUpdated } from './events.ts'
import { findFeedPlaces, insertFeed, updateFeed, type FeedPlace } from './store.ts'

/** Adds a feed to a channel (internal id). Answers its id. */
export async function createMessageFeed(
  tx: Tx,
  viewer: Viewer,
  { channelId, name }: { channelId: string; name: string },
): Promise<string> {
  const { channel, member } = await lockChannelFor(tx, viewer, channelId, 'internal')
  if (channel.isClosed) fail('forbidden', 'the channel is closed')
  if (!mayShape(viewer, channel, member)) fail('permissionDenied')
  const at = now()
  const id = newId()
  await insertFeed(tx, {
    id,
    channelId: channel.id,
    name,
    creatorId: viewer.id,
    lastMessageTimestamp: at,
    createdAt: at,
    updatedAt: at,
  })
  await emit(tx, messageFeedCreated, { actorId: viewer.id, subject: subjectOf(id, channel) })
  return id
}

/** Renames a feed. Answers its id. */
export async function renameMessageFeed(tx: Tx, viewer: Viewer, id: string, name: string): Promise<string> {
  const { channel } = await lockFeed(tx, viewer, id)
  const at = now()
  await updateFeed(tx, id, { name, editedAt: at, updatedAt: at })
  await emit(tx, messageFeedUpdated, { actorId: viewer.id, subject: subjectOf(id, channel) })
  return id
}

/** Deletes a feed, and with it what was said there. The default feed goes with its channel only. */
export async function deleteMessageFeed(tx: Tx, viewer: Viewer, id: string): Promise<string> {
  const { channel } = await lockFeed(tx, viewer, id)
  if (id === channel.id) fail('forbidden', 'a channel keeps its default feed')
  const at = now()
  await updateFeed(tx, id, { isDeleted: true, deletedAt: at, updatedAt: at })
  await emit(tx, messageFeedDeleted, { actorId: viewer.id, subject: subjectOf(id, channel) })
  return id
}

async function lockFeed(
  tx: Tx,
  viewer: Viewer,
  id: string,
): Promise<{ feed: FeedPlace; channel: ChannelFacts }> {
  const [found] = await findFeedPlaces(tx, [id])
  if (!found) return fail('notFound', 'message feed')
  const { channel, member } = await lockChannelFor(tx, viewer, found.channelId, 'internal')
  const [feed] = await findFeedPlaces(tx, [id])
  if (!feed || feed.isDeleted) return fail('notFound', 'message feed')
  const isOwn = feed.creatorId === viewer.id && isMember(member)
  if (!isOwn && !mayShape(viewer, channel, member)) fail('permissionDenied')
  return { feed, channel }
}

/** Moderators shape a channel; a conversation is shaped by everyone in it. */
function mayShape(viewer: Viewer, channel: ChannelFacts, member: ChannelMemberRow | undefined): boolean {
  return channel.type === 'conversation' ? isMember(member) : may('EDIT_CHANNEL', viewer, member)
}

function subjectOf(id: string, channel: ChannelFacts) {
  return { id, channelId: channel.id, channelType: channel.type }
}
