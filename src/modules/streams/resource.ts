import { now } from '../../platform/clock.ts'
import type { QuerySigner } from '../../platform/tokens/signed-query.ts'
import { byId, slot, type Resource, type Slot } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import type { Db } from '../../kernel/database.ts'
import { blockedIds } from '../follows/index.ts'
import { arePagesPrivate } from '../places/index.ts'
import { postCommentTarget } from '../posts/index.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { StreamAddresses } from './addresses.ts'
import { findModerations, type ModerationRow } from './moderation-store.ts'
import { canManageStream, needsSignature } from './policy.ts'
import { presentModeration, presentStarted, presentStream, type StreamState } from './present.ts'
import { VideoStream, VideoStreamModeration, VideoStreamStarted } from './schema.ts'
import { findStreamsById, type StreamRow } from './store.ts'
import { findBannedFrom } from './viewer-store.ts'

/** How long a signed address is good for, in ms. */
export const signatureMs = 6 * 60 * 60 * 1000

/** Of some streams those the viewer may read: not posted anywhere, or in a post that they may read. */
export async function findReadableStreams(db: Db, viewer: Viewer, rows: StreamRow[]): Promise<Set<string>> {
  const others = rows.filter((row) => !canManageStream(viewer, row))
  const postIds = others.flatMap((row) => row.postId ?? [])
  const [posts, blocked] = await Promise.all([
    postIds.length > 0 ? postCommentTarget.findReadable(db, viewer, postIds) : new Map<string, unknown>(),
    others.length > 0 ? blockedIds(db, viewer.id) : [],
  ])
  const shut = new Set<string>(blocked)
  const hidden = others.filter(({ postId, userId }) =>
    postId === null ? shut.has(userId) : !posts.has(postId),
  )
  const hiddenIds = new Set(hidden.map((row) => row.id))
  return new Set(rows.map((row) => row.id).filter((id) => !hiddenIds.has(id)))
}

function streamResource(signer: QuerySigner): Resource<StreamRow, StreamState> {
  return {
    name: 'videoStreamings',
    load: async (db, ids) => byId(await findStreamsById(db, ids), (row) => row.id),
    references: (row) => ({
      users: [row.userId],
      files: [row.thumbnailFileId],
      videoStreamModerations: [row.moderationId],
      videoStreamingChildren: row.childIds,
    }),
    async viewerState({ db, viewer }, rows) {
      const list = [...rows.values()]
      const [readable, banned, pagesPrivate] = await Promise.all([
        findReadableStreams(db, viewer, list),
        findBannedFrom(db, viewer.id, [...rows.keys()]),
        list.some((row) => row.targetType === 'user') && arePagesPrivate(db),
      ])
      const expires = new Date(now().getTime() + signatureMs)
      return new Map(
        list.map((row) => [
          row.id,
          {
            isReadable: readable.has(row.id),
            canManage: canManageStream(viewer, row),
            isBanned: banned.has(row.id) && !canManageStream(viewer, row),
            query: needsSignature(row, pagesPrivate) ? signer.sign(row.id, viewer.id, expires) : '',
          },
        ]),
      )
    },
    visible: (_row, _viewer, state) => state?.isReadable === true,
  }
}

const moderationResource: Resource<ModerationRow> = {
  name: 'videoStreamModerations',
  load: async (db, ids) => byId(await findModerations(db, ids), (row) => row.id),
  references: () => ({}),
}

/** Streams are shown with absolute addresses, some of them signed. */
export function streamSlots(addresses: StreamAddresses, signer: QuerySigner): Record<string, Slot> {
  const resource = streamResource(signer)
  const streams = slot(resource, VideoStream, (row, state) => presentStream(row, state, addresses))
  const started = slot(resource, VideoStreamStarted, (row) => presentStarted(row, addresses))
  return {
    videoStreamings: streams,
    videoStreamingChildren: streams,
    videoStreamingsStarted: started,
    videoStreamModerations: slot(moderationResource, VideoStreamModeration, presentModeration),
  }
}

/** What every operation on streams answers. */
export const streamShape = shape(
  'videoStreamings',
  'videoStreamingChildren',
  'videoStreamModerations',
  'users',
  'files',
)
