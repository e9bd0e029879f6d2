import { can, type PermissionHolder } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { canReadPlace } from '../places/index.ts'
import type { StoryAccess } from './access-store.ts'

interface Owned {
  creatorId: string
  targetType: string
}

interface Shown extends Owned {
  targetId: string
  isErased: boolean
  expiresAt: Date
}

/** What a place and a time make of a story. */
export interface Circumstances {
  arePagesPrivate: boolean
  at: Date
}

type Holder = PermissionHolder | null | undefined

/** Who looks after the stories of a place: of a community its moderators, of pages those of the network. */
export function canManageStories(
  viewer: Viewer,
  { targetType }: Pick<Owned, 'targetType'>,
  membership: Holder,
): boolean {
  return targetType === 'community'
    ? can('MANAGE_COMMUNITY_STORY', viewer, membership)
    : can('DELETE_USER_FEED_POST', viewer)
}

/** Its creator and those who manage stories there: who deletes it, and who may know how it is looked at. */
export function canOwnStory(viewer: Viewer, story: Owned, membership: Holder): boolean {
  return story.creatorId === viewer.id || canManageStories(viewer, story, membership)
}

/** Whether the viewer may see a story: its place, its time, its creator. */
export function canReadStory(
  viewer: Viewer,
  story: Shown,
  access: StoryAccess,
  circumstances: Circumstances,
): boolean {
  if (story.isErased || !canReadPlace(viewer, story, access, circumstances)) return false
  if (canOwnStory(viewer, story, access)) return true
  return story.expiresAt > circumstances.at && !access.isBlocked
}
