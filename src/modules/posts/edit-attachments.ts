import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { paths } from '../../kernel/paths.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { askedFiles, childRow, fileIdOf, readFiles, structureTypeOf } from './attachments.ts'
import type { AskedAttachment, EditPostBody } from './bodies.ts'
import { removeChildren } from './delete.ts'
import type { PostReferences } from './references.ts'
import { findPostsById, insertPosts, type PostRow } from './store.ts'

/**
 * Replaces the files attached to a post, in the order given. A file that was attached before stays the child post it
 * was, with its reactions and comments; a poll, a stream or a room stays too. Answers what the post's row must say, or
 * null when the body names no attachments.
 */
export async function replaceAttachments(tx: Tx, post: PostRow, body: EditPostBody) {
  const asked = askedFiles(body)
  if (!body.attachments && asked.length === 0) return null
  const before = await findPostsById(tx, post.children)
  const files = before.filter((child) => fileIdOf(child) !== undefined)
  const others = before.filter((child) => !files.includes(child))

  const rest = [...files]
  const places = asked.map((attachment) => {
    const at = rest.findIndex((child) => isOf(child, attachment))
    return at < 0 ? { attachment } : { attachment, child: rest.splice(at, 1)[0]! }
  })
  const added = (
    await readFiles(
      tx,
      places.flatMap(({ child, attachment }) => (child ? [] : attachment)),
    )
  ).map((attachment) => ({ ...attachment, id: newId() }))
  const at = now()
  const common = { ...placeOf(post), editedAt: at, createdAt: at, updatedAt: at }
  await insertPosts(
    tx,
    added.map((attachment) => childRow(common, post.id, attachment)),
  )
  await removeChildren(tx, post, rest)
  const next = [...added]
  const children = [...others, ...places.map(({ child }) => child ?? next.shift()!)]
  const types = children.map((child) => child.dataType)
  return {
    children: children.map((child) => child.id),
    attachedTypes: [...new Set(types)],
    structureType: structureTypeOf(post.dataType, types),
  }
}

function isOf(child: PostRow, { fileId, type }: AskedAttachment): boolean {
  return child.dataType === type && fileIdOf(child) === fileId
}

function placeOf({ targetType, targetId, feedId, feedType, publishedAt, postedUserId }: PostRow) {
  return { targetType, targetId, feedId, feedType, publishedAt, postedUserId }
}

/** The data of something attached after an edit: another file of its type, another picture of a video, another stream. */
export async function editedChildData(
  tx: Tx,
  viewer: Viewer,
  child: PostRow,
  body: EditPostBody,
  references: PostReferences,
): Promise<Record<string, unknown>> {
  const before = child.data as Record<string, unknown>
  const { fileId, thumbnailFileId, streamId } = body.data ?? {}
  const data = { ...before }
  if (fileId !== undefined) {
    if (fileIdOf(child) === undefined) fail('badRequest', `a ${child.dataType} has no file`)
    const [attachment] = await readFiles(tx, [{ fileId, type: child.dataType as AskedAttachment['type'] }])
    Object.assign(data, attachment!.data)
  }
  if (thumbnailFileId !== undefined) {
    if (child.dataType !== 'video') fail('badRequest', 'only videos have a thumbnail')
    if (thumbnailFileId !== null) await readFiles(tx, [{ fileId: thumbnailFileId, type: 'image' }])
    data.thumbnailFileId = thumbnailFileId
  }
  if (streamId !== undefined) {
    if (child.dataType !== 'liveStream') fail('badRequest', 'only live streams have a stream')
    if (streamId !== data.streamId) await replaceStream(tx, viewer, child, streamId, references)
    data.streamId = streamId
  }
  return data
}

/** Has a live stream posted in place of the one that a child post shows, as if it were posted now. */
async function replaceStream(
  tx: Tx,
  viewer: Viewer,
  child: PostRow,
  streamId: string,
  references: PostReferences,
): Promise<void> {
  const { id: childId, parentPostId, targetType, targetId, data } = child
  const reference = references.find(({ dataType }) => dataType === 'liveStream')
  if (!reference || parentPostId === null) return
  // Who may edit what others wrote does not stream in their name.
  if (viewer.id !== child.postedUserId) fail('permissionDenied', 'a stream is posted by who streams')
  await reference.require(tx, viewer, streamId)
  const path = paths.post(targetType, targetId, parentPostId)
  const at = { postId: parentPostId, childId, targetType, targetId, path }
  await reference.replaced?.(tx, viewer, (data as { streamId: string }).streamId, streamId, at)
}
