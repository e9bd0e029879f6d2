import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { readSettings } from '../network-settings/index.ts'
import { deletePost } from '../posts/index.ts'
import { end } from './actions.ts'
import { audiencesOf } from './audience.ts'
import { streamFlagged, streamTerminated } from './events.ts'
import { addLabel } from './moderation-store.ts'
import type { Label, ModerateBody } from './schema.ts'
import { lockStream, updateStreamRow } from './store.ts'

/**
 * Takes in what a program that looks at the pictures found, with an administrator's token. By the network's thresholds
 * it is noted, it flags the stream, or it ends the stream and takes down its post.
 */
export async function moderateStream(
  tx: Tx,
  viewer: Viewer,
  id: string,
  { category, confidence }: ModerateBody,
): Promise<void> {
  if (!isAdmin(viewer)) fail('permissionDenied')
  const stream = await lockStream(tx, id)
  if (!stream || stream.isDeleted) return fail('notFound')
  const { moderation } = await readSettings(tx, 'video-streaming')
  if (!moderation.enabled) fail('forbidden', 'the moderation of streams is switched off')
  const rule = moderation.categories.find((one) => one.category === category)
  if (!rule) return fail('badRequest', `there are no thresholds for ${category}`)
  const at = now()
  const label = (threshold: number): Label => ({
    category,
    categoryId: category,
    threshold,
    detectedAt: at.toISOString(),
  })
  const happening = { actorId: viewer.id, subject: { id, audiences: await audiencesOf(tx, stream) } }
  if (confidence >= rule.terminateThreshold) {
    await addLabel(tx, id, 'terminateLabels', label(rule.terminateThreshold), at)
    await end(tx, viewer.id, stream)
    await emit(tx, streamTerminated, happening)
    if (stream.postId !== null) await deletePost(tx, viewer, stream.postId)
  } else if (confidence >= rule.flagThreshold) {
    await addLabel(tx, id, 'flagLabels', label(rule.flagThreshold), at)
    await updateStreamRow(tx, id, { updatedAt: at })
    await emit(tx, streamFlagged, happening)
  }
}
