import { now } from '../../platform/clock.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { addFlag, clearFlags, removeFlag, type FlagBody, type FlagState } from '../flags/index.ts'
import { deleteLocked, lockForChange, subjectOf } from './actions.ts'
import { messageFlagCleared, messageFlagged, messageUnflagged } from './events.ts'
import { canClearFlags } from './policy.ts'
import { updateMessageRow, type MessageRow } from './store.ts'

/**
 * Reports a message, once for each user. Where the channel says so, enough reports delete it. Answers the internal id.
 */
export async function flagMessage(tx: Tx, viewer: Viewer, id: string, why: FlagBody): Promise<string> {
  const { message, channel } = await lockForChange(tx, viewer, id)
  if (message.isDeleted) fail('notFound', 'message')
  const flags = await addFlag(tx, viewer, 'message', message.id, why)
  await apply(tx, viewer, message, flags, messageFlagged)
  if (channel.messageAutoDeleteEnabled && flags.flagCount >= channel.autoDeleteMessageByFlagLimit)
    await deleteLocked(tx, viewer, channel, { ids: [message.id] })
  return message.id
}

/** Takes the viewer's report back. Answers the internal id. */
export async function unflagMessage(tx: Tx, viewer: Viewer, id: string): Promise<string> {
  const { message } = await lockForChange(tx, viewer, id)
  const flags = await removeFlag(tx, viewer, 'message', message.id)
  await apply(tx, viewer, message, flags, messageUnflagged)
  return message.id
}

/** Drops everybody's reports: a moderator has looked. Answers the internal id. */
export async function clearMessageFlags(tx: Tx, viewer: Viewer, id: string): Promise<string> {
  const { message, member } = await lockForChange(tx, viewer, id)
  if (!canClearFlags(viewer, member)) fail('permissionDenied')
  const flags = await clearFlags(tx, 'message', message.id)
  await apply(tx, viewer, message, flags, messageFlagCleared)
  return message.id
}

async function apply(
  tx: Tx,
  viewer: Viewer,
  message: MessageRow,
  { changed, flagCount, hashFlag }: FlagState,
  event: typeof messageFlagged,
): Promise<void> {
  if (!changed) return
  await updateMessageRow(tx, message.id, {
    flagCount,
    hashFlag: hashFlag && JSON.stringify(hashFlag),
    updatedAt: now(),
  })
  await emit(tx, event, { actorId: viewer.id, subject: subjectOf(message) })
}
