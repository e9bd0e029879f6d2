import { byId, slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { canManageScheduledPost } from './policy.ts'
import { fileIdsOf, presentScheduledPost } from './present.ts'
import { ScheduledPost, type PostData } from './schema.ts'
import { findScheduledPosts, type ScheduledPostRow } from './store.ts'

const scheduledPostResource: Resource<ScheduledPostRow> = {
  name: 'scheduledPosts',
  load: async (db, ids) => byId(await findScheduledPosts(db, ids), (row) => row.id),
  references(row) {
    const post = row.post as unknown as ScheduledPost['postData']
    const postData = row.postData as PostData
    return {
      users: [row.userId, ...post.mentionees.flatMap((mentionee) => mentionee.userInternalIds)],
      files: fileIdsOf(postData),
      communities: post.targetType === 'community' ? [post.targetInternalId] : [],
      polls: [postData.data?.pollId],
    }
  },
  visible: (row, viewer) => canManageScheduledPost(viewer, row),
}

export const scheduledPostSlots = {
  scheduledPosts: slot(scheduledPostResource, ScheduledPost, presentScheduledPost),
}

export const scheduledPostShape = shape({ data: 'scheduledPosts' }, 'users', 'files', 'communities', 'polls')
