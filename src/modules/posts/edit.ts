import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireAllowedText } from '../moderation/index.ts'
import { readSettings } from '../network-settings/index.ts'
import type { EditPostBody } from './bodies.ts'
import { editedChildData, replaceAttachments } from './edit-attachments.ts'
import { editedData, readExtras, requireContent, wordsOf } from './content.ts'
import { indexHashtags, subjectOf } from './counting.ts'
import { postUpdated } from './events.ts'
import { lockLivingPost, type LockedPost } from './locking.ts'
import { canEditPost } from './policy.ts'
import type { PostReferences } from './references.ts'
import { updatePost } from './store.ts'
import { insertVersion } from './version-store.ts'

/** What of a body changes what a post says: not so which products it shows. */
const said = ['text', 'data', 'attachments', 'metadata', 'tags', 'hashtags', 'mentionees', 'links'] as const

/**
 * Changes what is given of a post, or of something attached to one. What it said is kept as a version. Answers its id.
 * `preserveEditedAt` keeps the time of the last edit.
 */
export async function editPost(
  tx: Tx,
  viewer: Viewer,
  id: string,
  body: EditPostBody,
  { preserveEditedAt, references }: { preserveEditedAt: boolean; references: PostReferences },
): Promise<string> {
  const locked = await lockEditablePost(tx, viewer, id)
  const { post, parent } = locked
  const before = post.data as Record<string, unknown>
  const data = parent
    ? await editedChildData(tx, viewer, post, body, references)
    : editedData(post.dataType, before, body)
  const links = (body.links ?? []).map(({ url }) => url)
  await requireAllowedText(tx, viewer, { texts: wordsOf(post.dataType, data), links, isEdit: true })
  const extras = await readExtras(tx, body)

  const at = now()
  const isEdited = said.some((name) => body[name] !== undefined)
  if (isEdited) await insertVersion(tx, post, viewer.id, at)
  const attached = parent ? null : await replaceAttachments(tx, post, body)
  if (!parent) requireContent(post.dataType, data, (attached?.children ?? post.children).length)
  await updatePost(tx, id, {
    ...extras,
    ...attached,
    data: JSON.stringify(data),
    ...(isEdited && !preserveEditedAt && { editedAt: at }),
    updatedAt: at,
  })
  if (body.hashtags && !parent) await indexHashtags(tx, { ...post, hashtags: body.hashtags })
  if (parent) await updatePost(tx, parent.id, { updatedAt: at })
  // Clients take the first post of an event for one of a list, so a child is told of by its parent.
  await emit(tx, postUpdated, { actorId: viewer.id, subject: await subjectOf(tx, parent ?? post) })
  return id
}

async function lockEditablePost(tx: Tx, viewer: Viewer, id: string): Promise<LockedPost> {
  const locked = await lockLivingPost(tx, viewer, id)
  const { post, access } = locked
  if (!canEditPost(viewer, post, access)) fail('permissionDenied')
  if (post.feedType === 'declined') fail('conflict', 'the post was declined')
  if (post.feedType === 'reviewing') {
    const { isAllowEditPostWhenReviewingEnabled } = await readSettings(tx, 'social')
    if (!isAllowEditPostWhenReviewingEnabled) fail('forbidden', 'the post waits for review')
  }
  return locked
}
