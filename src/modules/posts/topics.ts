import type { Db } from '../../kernel/database.ts'
import type { TopicGuard } from '../../kernel/topics.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { isBlockedEitherWay, isFollowing } from '../follows/index.ts'
import { arePagesPrivate, canReadPage } from '../places/index.ts'

/** What happens on a page is as public as the page; a community's topics are guarded by its own slice. */
export const postTopics: TopicGuard[] = [
  {
    pattern: 'social/user/:userId',
    allow: (db, viewer, { userId = '+' }) => userId !== '+' && mayListenToPage(db, viewer, userId),
  },
  { pattern: 'social/content/:contentId', allow: (_db, _viewer, { contentId }) => contentId !== '+' },
]

async function mayListenToPage(db: Db, viewer: Viewer, userId: string): Promise<boolean> {
  if (userId === viewer.id) return true
  if (await isBlockedEitherWay(db, viewer.id, userId)) return false
  if (canReadPage(viewer, userId) || !(await arePagesPrivate(db))) return true
  return isFollowing(db, viewer.id, userId)
}
