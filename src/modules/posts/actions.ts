import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { can } from '../../kernel/permissions.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import {
  adjustPostsCount,
  findMembership,
  requireMember,
  requireReadableCommunity,
} from '../communities/index.ts'
import { adjustFeedCount, ensureFeeds, type FeedType } from '../feeds/index.ts'
import { resolveUserId, resolveUserIds } from '../users/index.ts'
import { isCustomType, readAttachments, structureTypeOf } from './attachments.ts'
import { postCreated, postDeleted } from './events.ts'
import { canDeletePost } from './policy.ts'
import type { CreatePostBody } from './schema.ts'
import { insertPosts, lockPost, markPostsDeleted, type PostRow } from './store.ts'

const maxCustomBytes = 100_000

/** Creates a post with its children in a user's or a community's feed. Answers its id. */
export async function createPost(tx: Tx, viewer: Viewer, body: CreatePostBody): Promise<string> {
  const target = await openTarget(tx, viewer, body)
  const attachments = await readAttachments(tx, body)
  const dataType = body.dataType !== undefined && isCustomType(body.dataType) ? body.dataType : 'text'
  const data = readData(dataType, body)
  if (dataType === 'text' && !data.text && !data.title && attachments.length === 0) {
    fail('badRequest', 'a post needs text, a title or an attachment')
  }
  if (body.metadata && jsonBytes(body.metadata) > maxCustomBytes) fail('invalid', 'metadata is too large')
  if (body.createdAt !== undefined && !isAdmin(viewer)) fail('permissionDenied', 'createdAt')

  const at = body.createdAt === undefined ? now() : new Date(body.createdAt)
  const id = body.postId ?? newId()
  const children = attachments.map((attachment) => ({ id: newId(), ...attachment }))
  const mentioned = await resolveUserIds(tx, body.mentionees?.[0]?.userIds ?? [])
  const common = {
    targetType: target.type,
    targetId: target.id,
    feedId: target.feedId,
    feedType: target.feedType,
    postedUserId: viewer.id,
    ...(target.feedType === 'published' && { publishedAt: now() }),
    editedAt: at,
    createdAt: at,
    updatedAt: now(),
  }
  await insertPosts(tx, [
    {
      ...common,
      id,
      dataType,
      structureType: structureTypeOf(dataType, attachments),
      data: JSON.stringify(data),
      metadata: JSON.stringify(body.metadata ?? {}),
      tags: body.tags ?? [],
      hashtags: body.hashtags ?? [],
      mentionedUserIds: [...new Set(mentioned)],
      links: JSON.stringify(body.links ?? []),
      children: children.map((child) => child.id),
      attachedTypes: [...new Set(children.map((child) => child.dataType))],
    },
    ...children.map((child) => ({
      ...common,
      id: child.id,
      parentPostId: id,
      dataType: child.dataType,
      structureType: child.dataType,
      data: JSON.stringify(child.data),
    })),
  ])
  await countPost(
    tx,
    { targetType: target.type, targetId: target.id, feedId: target.feedId, feedType: target.feedType },
    1,
  )
  await emit(tx, postCreated, {
    actorId: viewer.id,
    subject: { id, targetType: target.type, targetId: target.id },
  })
  return id
}

/** Soft-deletes a post with its children, or one child alone. Answers its id. */
export async function deletePost(tx: Tx, viewer: Viewer, id: string): Promise<string> {
  const post = await lockPost(tx, id)
  if (!post) return fail('notFound')
  const membership =
    post.targetType === 'community' ? await findMembership(tx, post.targetId, viewer.id) : undefined
  if (!canDeletePost(viewer, post, membership)) fail('permissionDenied')
  const deleted = await markPostsDeleted(tx, [id, ...post.children], now())
  if (!deleted.includes(id)) return id
  if (post.parentPostId === null) await countPost(tx, post, -1)
  await emit(tx, postDeleted, {
    actorId: viewer.id,
    subject: { id, targetType: post.targetType, targetId: post.targetId },
  })
  return id
}

type Counted = Pick<PostRow, 'targetType' | 'targetId' | 'feedId' | 'feedType'>

async function countPost(
  tx: Tx,
  { targetType, targetId, feedId, feedType }: Counted,
  delta: 1 | -1,
): Promise<void> {
  if (targetType === 'community' && feedType === 'published') await adjustPostsCount(tx, targetId, delta)
  await adjustFeedCount(tx, feedId, delta)
}

interface Target {
  type: 'user' | 'community'
  id: string
  feedId: string
  feedType: FeedType
}

/** Where the post goes, and whether the viewer may put it there and must have it reviewed. */
async function openTarget(tx: Tx, viewer: Viewer, body: CreatePostBody): Promise<Target> {
  const { targetType = 'user', targetId } = body
  if (targetType === 'content') return fail('badRequest', 'posts on content are made by its owner')
  if (targetType === 'user') {
    const id = targetId == null ? viewer.id : await resolveUserId(tx, targetId)
    if (id !== viewer.id && !isAdmin(viewer)) fail('permissionDenied', "posts go to one's own feed")
    return { type: 'user', id, feedType: 'published', feedId: (await ensureFeeds(tx, 'user', id)).published }
  }
  if (targetId == null) return fail('invalid', 'targetId is required for a community')
  const { community, membership } = can('CREATE_PRIVILEGED_POST', viewer)
    ? await requireReadableCommunity(tx, viewer, targetId)
    : await requireMember(tx, viewer, targetId)
  const privileged = can('CREATE_PRIVILEGED_POST', viewer, membership)
  if (community.onlyAdminCanPost && !privileged) fail('permissionDenied', 'only moderators post here')
  const feedType = community.needApprovalOnPostCreation && !privileged ? 'reviewing' : 'published'
  const feeds = await ensureFeeds(tx, 'community', community.id)
  return { type: 'community', id: community.id, feedType, feedId: feeds[feedType] }
}

function readData(dataType: string, { data = {}, text }: CreatePostBody): Record<string, unknown> {
  if (dataType !== 'text') {
    if (jsonBytes(data) > maxCustomBytes) fail('invalid', `data is over ${maxCustomBytes} bytes`)
    return data
  }
  const title = data.title ?? undefined
  return { ...(title !== undefined && { title }), text: data.text ?? text ?? '' }
}
