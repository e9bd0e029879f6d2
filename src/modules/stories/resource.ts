import { byId, slot, type References, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { now } from '../../platform/clock.ts'
import { membershipId } from '../communities/index.ts'
import { findReactionNames } from '../reactions/index.ts'
import { parsePlaceId, placeId, type Place } from './place.ts'
import { presentNewStory, presentStory, presentTarget, type StoryState } from './present.ts'
import { findReadable } from './queries.ts'
import { Story, StoryTarget, type StoryData } from './schema.ts'
import { findStoriesById, type StoryRow } from './store.ts'
import { findTargets, findTargetTimes, type TargetRow, type TargetTimes } from './target-store.ts'

const storyResource: Resource<StoryRow, StoryState> = {
  name: 'stories',
  load: async (db, ids) => byId(await findStoriesById(db, ids), (row) => row.id),
  references(row, viewer) {
    const { fileId, thumbnailFileId, videoFileId } = row.data as StoryData
    const inCommunity = row.targetType === 'community'
    return {
      users: [row.creatorId, ...(inCommunity ? [] : [row.targetId])],
      files: [fileId, thumbnailFileId, videoFileId?.original],
      comments: row.commentIds,
      storyTargets: [placeId(row as Place)],
      communities: inCommunity ? [row.targetId] : [],
      communityUsers: inCommunity
        ? [row.creatorId, ...(viewer ? [viewer.id] : [])].map((userId) => membershipId(row.targetId, userId))
        : [],
    }
  },
  async viewerState({ db, viewer }, rows) {
    const ids = [...rows.keys()]
    const [names, readable] = await Promise.all([
      findReactionNames(db, viewer.id, 'story', ids),
      findReadable(db, viewer, rows),
    ])
    return new Map(ids.map((id) => [id, { myReactions: names.get(id) ?? [], isReadable: readable.has(id) }]))
  },
  visible: (row, _viewer, state) => !row.isDeleted && state?.isReadable === true,
}

/** Places with stories. Who may see one is decided before it is named: by a story there, or by the query for it. */
const targetResource: Resource<TargetRow, TargetTimes> = {
  name: 'storyTargets',
  load: async (db, ids) => byId(await findTargets(db, ids.map(parsePlaceId)), placeId),
  references: ({ targetType, targetId }, viewer): References =>
    targetType === 'user'
      ? { users: [targetId] }
      : {
          communities: [targetId],
          communityUsers: viewer ? [membershipId(targetId, viewer.id)] : [],
        },
  async viewerState({ db, viewer }, rows) {
    return byId(await findTargetTimes(db, viewer.id, [...rows.values()], now()), placeId)
  },
}

export const storySlots = {
  stories: slot(storyResource, Story, presentStory),
  newStories: slot(storyResource, Story, presentNewStory),
  storyTargets: slot(targetResource, StoryTarget, presentTarget),
}

/** What events of stories bring. Clients fail without any of these keys. */
export const storyEventShape = shape(
  'stories',
  { comments: 'commentPreviews' },
  'files',
  'users',
  'communities',
  'communityUsers',
  'categories',
)
export const storyShape = shape(storyEventShape, 'storyTargets')
export const newStoryShape = shape(storyShape, { stories: 'newStories' })
export const targetShape = shape(
  'storyTargets',
  'files',
  'users',
  'communities',
  'communityUsers',
  'categories',
)
