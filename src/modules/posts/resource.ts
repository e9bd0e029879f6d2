import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { findReactionNames } from '../reactions/index.ts'
import { presentPost, presentPostChild, type PostState } from './present.ts'
import { Post, PostChild } from './schema.ts'
import { findReadable } from './queries.ts'
import { findPostsById, type PostRow } from './store.ts'

interface AttachedIds {
  fileId?: string
  thumbnailFileId?: string
  videoFileId?: { original?: string }
  pollId?: string
  streamId?: string
  roomId?: string
}

const postResource: Resource<PostRow, PostState> = {
  name: 'posts',
  load: async (db, ids) => byId(await findPostsById(db, ids), (row) => row.id),
  references(row, viewer) {
    const attached = row.data as AttachedIds
    const inCommunity = row.targetType === 'community'
    return {
      users: [
        row.postedUserId,
        ...(row.targetType === 'user' ? [row.targetId] : []),
        ...row.mentionedUserIds,
      ],
      postChildren: row.children,
      comments: row.commentIds,
      files: [attached.fileId, attached.thumbnailFileId, attached.videoFileId?.original],
      polls: [attached.pollId],
      videoStreamings: [attached.streamId],
      rooms: [attached.roomId],
      feeds: [row.feedId],
      communities: inCommunity ? [row.targetId] : [],
      communityUsers: inCommunity
        ? [`${row.targetId}:${row.postedUserId}`, ...(viewer ? [`${row.targetId}:${viewer.id}`] : [])]
        : [],
    }
  },
  async viewerState({ db, viewer }, rows) {
    const ids = [...rows.keys()]
    const [names, readable] = await Promise.all([
      findReactionNames(db, viewer.id, 'post', ids),
      findReadable(db, viewer, rows),
    ])
    return new Map(ids.map((id) => [id, { myReactions: names.get(id) ?? [], isReadable: readable.has(id) }]))
  },
  visible: (_row, _viewer, state) => state?.isReadable === true,
}

export const postSlots = {
  posts: slot(postResource, Post, presentPost),
  postChildren: slot(postResource, PostChild, presentPostChild),
}

/** What every operation on posts answers. Clients fail without the keys of feeds and communities. */
export const postShape = shape(
  'posts',
  'postChildren',
  { comments: 'commentPreviews' },
  'users',
  'files',
  'communities',
  'communityUsers',
  'categories',
  'feeds',
  'polls',
  'videoStreamings',
  'rooms',
)
