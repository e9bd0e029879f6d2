import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { paths } from '../../kernel/paths.ts'
import { can } from '../../kernel/permissions.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { requireMember, requireReadableCommunity, touchMembership } from '../communities/index.ts'
import type { FeedType } from '../feeds/index.ts'
import { requireAllowedText } from '../moderation/index.ts'
import { resolveUserId } from '../users/index.ts'
import {
  childRow,
  isCustomType,
  readAttachments,
  structureTypeOf,
  type Attached,
  type Attachment,
} from './attachments.ts'
import type { CreatePostBody } from './bodies.ts'
import { newData, readExtras, requireContent, wordsOf } from './content.ts'
import { countPost, feedIdFor, indexHashtags, subjectOf } from './counting.ts'
import { postCreated } from './events.ts'
import { canReviewPosts } from './policy.ts'
import type { PostReferences } from './references.ts'
import { insertPosts } from './store.ts'

/** Creates a post with its children on a user's page, in a community or on content. Answers its id. */
export async function createPost(
  tx: Tx,
  viewer: Viewer,
  body: CreatePostBody,
  references: PostReferences = [],
): Promise<string> {
  const target = await openTarget(tx, viewer, body)
  if (body.createdAt !== undefined && !isAdmin(viewer)) fail('permissionDenied', 'createdAt')
  const dataType = body.dataType !== undefined && isCustomType(body.dataType) ? body.dataType : 'text'
  const data = newData(dataType, body)
  const attachments = await readAttachments(tx, viewer, body, references)
  requireContent(dataType, data, attachments.length)
  const links = (body.links ?? []).map(({ url }) => url)
  await requireAllowedText(tx, viewer, { texts: wordsOf(dataType, data), links })

  const post = {
    id: body.postId ?? newId(),
    dataType,
    data: JSON.stringify(data),
    ...(await readExtras(tx, body)),
  }
  const children = await insertWhole(tx, viewer, target, post, attachments, body.createdAt)
  const placed = { ...target, id: post.id, postedUserId: viewer.id }
  await countPost(tx, placed, 1)
  await indexHashtags(tx, { ...placed, createdAt: children.createdAt, hashtags: body.hashtags ?? [] })
  if (target.targetType === 'community') await touchMembership(tx, target.targetId, viewer.id)
  await announceReferences(tx, placed, children.attached, references)
  await emit(tx, postCreated, { actorId: viewer.id, subject: await subjectOf(tx, placed) })
  return post.id
}

interface NewPost {
  id: string
  dataType: string
  data: string
}

async function insertWhole(
  tx: Tx,
  viewer: Viewer,
  target: Target,
  post: NewPost,
  attachments: Attachment[],
  createdAtAsked: string | undefined,
): Promise<{ attached: Attached[]; createdAt: Date }> {
  const attached = attachments.map((attachment) => ({ ...attachment, id: newId() }))
  const attachedTypes = [...new Set(attached.map((child) => child.dataType))]
  const createdAt = createdAtAsked === undefined ? now() : new Date(createdAtAsked)
  const common = { ...target, postedUserId: viewer.id, editedAt: createdAt, createdAt, updatedAt: now() }
  await insertPosts(tx, [
    {
      ...common,
      ...post,
      structureType: structureTypeOf(post.dataType, attachedTypes),
      children: attached.map((child) => child.id),
      attachedTypes,
    },
  ])
  await insertPosts(
    tx,
    attached.map((child) => childRow(common, post.id, child)),
  )
  return { attached, createdAt }
}

async function announceReferences(
  tx: Tx,
  post: { id: string; targetType: string; targetId: string },
  attached: Attached[],
  references: PostReferences,
): Promise<void> {
  const { id: postId, targetType, targetId } = post
  for (const { id: childId, dataType, data } of attached) {
    const reference = references.find((one) => one.dataType === dataType)
    const [referenced] = Object.values(data)
    const at = { postId, childId, targetType, targetId, path: paths.post(targetType, targetId, postId) }
    await reference?.posted?.(tx, String(referenced), at)
  }
}

interface Target {
  targetType: 'user' | 'community' | 'content'
  /** Internal id. */
  targetId: string
  feedId: string
  feedType: FeedType
  publishedAt: Date | null
}

/** Where the post goes, and whether the viewer may put it there and must have it reviewed. */
async function openTarget(tx: Tx, viewer: Viewer, body: CreatePostBody): Promise<Target> {
  const { targetType = 'user', targetId } = body
  if (targetType === 'user') {
    const id = targetId == null ? viewer.id : await resolveUserId(tx, targetId)
    if (id !== viewer.id && !isAdmin(viewer)) fail('permissionDenied', "posts go to one's own page")
    return placeIn(tx, 'user', id, 'published')
  }
  if (targetId == null) return fail('invalid', `targetId is required for a ${targetType}`)
  if (targetType === 'content') return placeIn(tx, 'content', targetId, 'published')
  const { community, membership } = can('CREATE_PRIVILEGED_POST', viewer)
    ? await requireReadableCommunity(tx, viewer, targetId)
    : await requireMember(tx, viewer, targetId)
  const privileged = can('CREATE_PRIVILEGED_POST', viewer, membership)
  if (community.onlyAdminCanPost && !privileged) fail('permissionDenied', 'only moderators post here')
  const reviewed = community.needApprovalOnPostCreation && !privileged && !canReviewPosts(viewer, membership)
  return placeIn(tx, 'community', community.id, reviewed ? 'reviewing' : 'published')
}

async function placeIn(
  tx: Tx,
  targetType: Target['targetType'],
  targetId: string,
  feedType: FeedType,
): Promise<Target> {
  const feedId = await feedIdFor(tx, { targetType, targetId }, feedType)
  return { targetType, targetId, feedType, feedId, publishedAt: feedType === 'published' ? now() : null }
}
