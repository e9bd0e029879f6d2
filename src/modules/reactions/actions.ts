import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireSwitchedOn } from '../network-settings/index.ts'
import { presentReactor } from './present.ts'
import type { ReactionBody } from './schema.ts'
import { deleteReaction, findReaction, insertReaction } from './store.ts'
import type { ReactionTarget } from './target.ts'

/** Reacts. The same name twice by one user changes nothing. Answers the reaction's id. */
export async function addReaction(
  tx: Tx,
  viewer: Viewer,
  target: ReactionTarget,
  body: ReactionBody,
): Promise<string> {
  await requireSwitchedOn(tx, viewer, target.type === 'message' ? 'chat' : 'social')
  const id = await target.lock(tx, viewer, body.referenceId)
  const identity = { referenceType: target.type, referenceId: id, userId: viewer.id, name: body.reactionName }
  const added = await insertReaction(tx, { id: newId(), createdAt: now(), ...identity })
  const row = (await findReaction(tx, identity)) ?? fail('unexpected')
  if (added) await target.apply(tx, viewer, { id, name: row.name, delta: 1, reactor: presentReactor(row) })
  return row.id
}

/** Takes a reaction back; fails with `notFound` when there is none. Answers its id. */
export async function removeReaction(
  tx: Tx,
  viewer: Viewer,
  target: ReactionTarget,
  body: ReactionBody,
): Promise<string> {
  const id = await target.lock(tx, viewer, body.referenceId)
  const identity = { referenceType: target.type, referenceId: id, userId: viewer.id, name: body.reactionName }
  const row = (await findReaction(tx, identity)) ?? fail('notFound', 'reaction')
  await deleteReaction(tx, row.id)
  await target.apply(tx, viewer, { id, name: row.name, delta: -1, reactor: presentReactor(row) })
  return row.id
}
