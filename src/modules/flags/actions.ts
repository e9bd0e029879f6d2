import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { hashFlagOf, type HashFlag } from './hash-flag.ts'
import { deleteFlags, findFlaggers, insertFlag } from './store.ts'

export type FlaggableType = 'user' | 'post' | 'comment' | 'story' | 'message'

export interface FlagReason {
  reason?: string | undefined
  detail?: string | undefined
}

/** What an object's row must say after its flags changed. */
export interface FlagState {
  changed: boolean
  flagCount: number
  hashFlag: HashFlag | null
}

/**
 * Flags an object for a viewer, once: a second flag changes nothing. The caller has locked the object's row and
 * stores the state this answers.
 */
export async function addFlag(
  tx: Tx,
  viewer: Viewer,
  type: FlaggableType,
  id: string,
  why: FlagReason,
): Promise<FlagState> {
  const changed = await insertFlag(tx, {
    id: newId(),
    referenceType: type,
    referenceId: id,
    userId: viewer.id,
    reason: why.reason ?? null,
    detail: why.detail ?? null,
    createdAt: now(),
  })
  return flagState(tx, type, id, changed)
}

/** Takes the viewer's flag back. Without one nothing changes. */
export async function removeFlag(
  tx: Tx,
  viewer: Viewer,
  type: FlaggableType,
  id: string,
): Promise<FlagState> {
  return flagState(tx, type, id, (await deleteFlags(tx, type, id, viewer.id)) > 0)
}

/** Takes everyone's flags back. */
export async function clearFlags(tx: Tx, type: FlaggableType, id: string): Promise<FlagState> {
  return flagState(tx, type, id, (await deleteFlags(tx, type, id)) > 0)
}

async function flagState(tx: Tx, type: FlaggableType, id: string, changed: boolean): Promise<FlagState> {
  const flaggers = await findFlaggers(tx, type, id)
  return { changed, flagCount: flaggers.length, hashFlag: hashFlagOf(flaggers) }
}
