import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { readSettings } from '../network-settings/index.ts'
import { deletePost } from '../posts/index.ts'
import { endRoom, touchRoom } from './life-cycle.ts'
import type { RoomMedia } from './media.ts'
import type { Label, ModerateBody } from './schema.ts'
import { lockRoom, updateRoomRow } from './store.ts'

/**
 * Takes in what a program that looks at the pictures found, with an administrator's token. By the network's thresholds
 * it is passed over, it flags the room, or it terminates the room and takes down its post.
 */
export async function moderateRoom(
  tx: Tx,
  media: RoomMedia,
  viewer: Viewer,
  id: string,
  { category, confidence }: ModerateBody,
): Promise<void> {
  if (!isAdmin(viewer)) fail('permissionDenied')
  const room = await lockRoom(tx, id)
  if (!room || room.isDeleted) return fail('notFound')
  const { moderation } = await readSettings(tx, 'video-streaming')
  if (!moderation.enabled) fail('forbidden', 'the moderation of live video is switched off')
  const rule = moderation.categories.find((one) => one.category === category)
  if (!rule) return fail('badRequest', `there are no thresholds for ${category}`)
  const moderatedAt = now()
  const add = (labels: Label[], threshold: number) => {
    const label = { category, categoryId: category, threshold, detectedAt: moderatedAt.toISOString() }
    return JSON.stringify([...labels.filter((one) => one.category !== category), label])
  }
  if (confidence >= rule.terminateThreshold) {
    const terminateLabels = add(room.terminateLabels, rule.terminateThreshold)
    await updateRoomRow(tx, id, { terminateLabels, moderatedAt })
    await endRoom(tx, media, room, 'terminated', viewer.id)
    if (room.postId !== null) await deletePost(tx, viewer, room.postId)
  } else if (confidence >= rule.flagThreshold) {
    const flagLabels = add(room.flagLabels, rule.flagThreshold)
    await touchRoom(tx, id, viewer.id, { flagLabels, moderatedAt })
  }
}
