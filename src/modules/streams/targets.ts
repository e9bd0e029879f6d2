import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { paths } from '../../kernel/paths.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { BanFollower } from '../channel-bans/index.ts'
import type { LiveReactionTarget } from '../live-reactions/index.ts'
import { findPostsById, type PostReference } from '../posts/index.ts'
import { end, lockOwnStream } from './actions.ts'
import { canManageStream } from './policy.ts'
import { requireReadableStream } from './queries.ts'
import { findLiveStreamsIn, findStreamOfChannel, lockStream, placeStream } from './store.ts'
import { findBannedFrom } from './viewer-store.ts'
import { tellBanned } from './watching.ts'

const nowhere = { postId: null, childPostId: null, targetType: null, targetId: null }

/** Streams that are posted: a living parent stream of the poster's, that no other living post shows. */
export const streamPostReference: PostReference = {
  dataType: 'liveStream',
  async require(tx, viewer, id) {
    const stream = await lockStream(tx, id)
    if (!stream || stream.isDeleted || stream.userId !== viewer.id) return fail('notFound', `stream ${id}`)
    if (stream.parentId !== null) fail('badRequest', `stream ${id} is a child stream`)
    const [post] = stream.postId === null ? [] : await findPostsById(tx, [stream.postId])
    if (post && !post.isDeleted) fail('conflict', `stream ${id} is shown by another post`)
  },
  posted: (tx, id, { postId, childId, targetType, targetId }) =>
    placeStream(tx, id, { postId, childPostId: childId, targetType, targetId }),
  async replaced(tx, viewer, before, id, { postId, childId, targetType, targetId }) {
    const stream = await lockStream(tx, before)
    if (stream?.status === 'live') await end(tx, viewer.id, stream)
    // What was shown stays as hidden as its post; one that has not begun can be posted again.
    if (stream?.status === 'idle' && stream.childPostId === childId) await placeStream(tx, before, nowhere)
    await placeStream(tx, id, { postId, childPostId: childId, targetType, targetId })
  },
  // One that has not begun can be posted again.
  async unposted(tx, viewer, postId) {
    for (const id of await findLiveStreamsIn(tx, postId)) {
      const stream = await lockStream(tx, id)
      if (stream?.status === 'live') await end(tx, viewer.id, stream)
    }
  },
}

/** Streams with a live channel that their maker's client makes: their own, and one channel for each. */
export async function requireChattableStream(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const stream = await lockOwnStream(tx, viewer, id)
  if (stream.parentId !== null) fail('badRequest', 'videoStreamId is a child stream')
  if (stream.channelId !== null) fail('conflict', 'the stream has a live channel')
}

/** Whoever is banned from a stream's live channel may not watch the stream either. */
export const streamBanFollower: BanFollower = {
  async changed(tx, viewer, channelId, userIds, isBan) {
    const streamId = await findStreamOfChannel(tx, channelId)
    if (streamId !== null) await tellBanned(tx, viewer, streamId, userIds, isBan)
  },
}

/** Reactions that fly over a live stream, heard below the post that shows it. */
export const streamReactionTarget: LiveReactionTarget = {
  key: 'liveStreamId',
  async resolve(db: Db, viewer: Viewer, id: string) {
    const stream = await requireReadableStream(db, viewer, id)
    if (stream.isDeleted) return fail('notFound')
    if (stream.status !== 'live') fail('badRequest', 'the stream is not live')
    if (!canManageStream(viewer, stream) && (await findBannedFrom(db, viewer.id, [id])).has(id))
      fail('banned')
    const { postId, childPostId, targetType, targetId } = stream
    if (postId === null || targetType === null || targetId === null) return { id, postPaths: [] }
    const postPaths = [postId, childPostId ?? postId].map((one) => paths.post(targetType, targetId, one))
    return { id, postPaths: [...new Set(postPaths)] }
  },
}
