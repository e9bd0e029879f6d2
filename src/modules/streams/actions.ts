import { now } from '../../platform/clock.ts'
import { newId, newSecret } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { createChannelFor, deleteChannelFor } from '../channels/index.ts'
import { readSettings } from '../network-settings/index.ts'
import { audiencesOf } from './audience.ts'
import { requireLiveContent } from './content.ts'
import { streamStopped } from './events.ts'
import { canManageStream } from './policy.ts'
import { deleteRecordings } from './recording-store.ts'
import { findReadableStreams } from './resource.ts'
import { stopMedia } from './media-topics.ts'
import type { CreateStreamBody, UpdateStreamBody } from './schema.ts'
import { insertStream, lockStream, updateStreamRow, type StreamRow } from './store.ts'

const maxChildren = 2

/** Lets nobody watch a stream any more, and deletes what is kept of it, once `tx` has committed. */
export type DiscardMedia = (tx: Tx, streamId: string, objectKeys: string[]) => Promise<void>

/** Makes a stream, ready for its encoder; with `channelEnabled` its live channel too. Answers its id. */
export async function createStream(tx: Tx, viewer: Viewer, body: CreateStreamBody): Promise<string> {
  const { title, description = null, metadata, parentStreamId, channelEnabled = false } = body
  if (!(await readSettings(tx, 'video-streaming')).enabled)
    fail('forbidden', 'video streaming is switched off')
  await requireLiveContent(tx, viewer, body)
  const parent = parentStreamId ? await lockParent(tx, viewer, parentStreamId) : null
  const id = newId()
  const at = now()
  await insertStream(
    tx,
    {
      id,
      userId: viewer.id,
      parentId: parent?.id ?? null,
      title,
      description,
      thumbnailFileId: body.thumbnailFileId || null,
      metadata: JSON.stringify(metadata ?? {}),
      isSecure: body.isSecure ?? false,
      resolution: body.resolution ?? 'SD',
      channelEnabled,
      streamKey: newSecret(24),
      // A child is seen by whoever sees its parent.
      postId: parent?.postId ?? null,
      childPostId: parent?.childPostId ?? null,
      targetType: parent?.targetType ?? null,
      targetId: parent?.targetId ?? null,
      createdAt: at,
      updatedAt: at,
    },
    newId(),
  )
  if (channelEnabled && parent === null) {
    await createChannelFor(tx, viewer, {
      type: 'live',
      displayName: title.slice(0, 100),
      isPublic: true,
      videoStreamId: id,
    })
  }
  return id
}

/** Changes what a stream says of itself. */
export async function updateStream(
  tx: Tx,
  viewer: Viewer,
  id: string,
  body: UpdateStreamBody,
): Promise<void> {
  const stream = await lockOwnStream(tx, viewer, id)
  await requireLiveContent(tx, viewer, body)
  const { title, description, thumbnailFileId, metadata, resolution } = body
  await updateStreamRow(tx, stream.id, {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(thumbnailFileId !== undefined && { thumbnailFileId: thumbnailFileId || null }),
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata ?? {}) }),
    ...(resolution !== undefined && { resolution }),
    updatedAt: now(),
  })
}

/**
 * Takes the address for encoders back. A stream that waits for its encoder gets another one; one that is live ends, as
 * nobody may publish it any more.
 */
export async function revokeKey(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const stream = await lockOwnStream(tx, viewer, id)
  if (stream.status === 'live') return end(tx, viewer.id, stream)
  if (stream.status !== 'idle') return
  await updateStreamRow(tx, id, { streamKey: newSecret(24), updatedAt: now() })
  // An encoder that connected before but has sent nothing yet holds the old key.
  await stopMedia(tx, id)
}

/** Ends a stream, whether it was ever live or not. Ending it again changes nothing. */
export async function endStream(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  await end(tx, viewer.id, await lockOwnStream(tx, viewer, id))
}

/** Deletes a stream with its children, its live channel and its recordings. What it was stays readable by its id. */
export async function deleteStream(tx: Tx, discard: DiscardMedia, viewer: Viewer, id: string): Promise<void> {
  const stream = await lockOwnStream(tx, viewer, id)
  for (const childId of stream.childIds) {
    const child = await lockStream(tx, childId)
    if (child && !child.isDeleted) await remove(tx, discard, viewer, child)
  }
  await remove(tx, discard, viewer, stream)
}

/** Deletes a locked stream; checks nothing. */
export async function remove(
  tx: Tx,
  discard: DiscardMedia,
  viewer: Viewer,
  stream: StreamRow,
): Promise<void> {
  await end(tx, viewer.id, stream)
  const at = now()
  await updateStreamRow(tx, stream.id, { isDeleted: true, deletedAt: at, updatedAt: at })
  if (stream.channelInternalId !== null) await deleteChannelFor(tx, viewer, stream.channelInternalId)
  await discard(tx, stream.id, await deleteRecordings(tx, stream.id))
}

/** Ends a locked stream; checks nothing. `actorId` is null when the server does it by itself. */
export async function end(tx: Tx, actorId: string | null, stream: StreamRow): Promise<void> {
  if (stream.status !== 'idle' && stream.status !== 'live') return
  const at = now()
  await updateStreamRow(tx, stream.id, { status: 'ended', endedAt: at, streamKey: null, updatedAt: at })
  if (stream.status === 'live') {
    const subject = { id: stream.id, audiences: await audiencesOf(tx, stream) }
    await emit(tx, streamStopped, { actorId, subject })
  }
  await stopMedia(tx, stream.id)
}

/** Locks a living stream that the viewer may manage: `notFound` for others' hidden ones, else `permissionDenied`. */
export async function lockOwnStream(tx: Tx, viewer: Viewer, id: string): Promise<StreamRow> {
  const stream = await lockStream(tx, id)
  if (!stream || stream.isDeleted) return fail('notFound')
  if (canManageStream(viewer, stream)) return stream
  const readable = await findReadableStreams(tx, viewer, [stream])
  return fail(readable.has(id) ? 'permissionDenied' : 'notFound')
}

// The parent is locked, so that of two children at once the third fails.
async function lockParent(tx: Tx, viewer: Viewer, id: string): Promise<StreamRow> {
  const parent = await lockOwnStream(tx, viewer, id)
  if (parent.parentId !== null) fail('badRequest', 'parentStreamId is itself a child stream')
  if (parent.status === 'ended' || parent.status === 'recorded')
    fail('badRequest', 'the parent stream has ended')
  if (parent.childIds.length >= maxChildren) fail('badRequest', `at most ${maxChildren} child streams`)
  return parent
}
