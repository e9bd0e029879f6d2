import type { Db, Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { reactionTypes, Reactor } from './schema.ts'

export type ReactionType = (typeof reactionTypes)[number]

/** One reaction coming or going. */
export interface ReactionChange {
  /** Internal id of the object. */
  id: string
  name: string
  delta: 1 | -1
  reactor: Reactor
}

/** What can be reacted to. Slices hand theirs to the composition root, so that reactions know none of them. */
export interface ReactionTarget {
  type: ReactionType
  /** The internal id of an object the viewer may see; fails with `notFound` otherwise. */
  resolve(db: Db, viewer: Viewer, referenceId: string): Promise<string>
  /** Locks the object and checks that the viewer may react to it; answers its internal id. */
  lock(tx: Tx, viewer: Viewer, referenceId: string): Promise<string>
  /** Changes the object's counts and emits its event. The object is locked. */
  apply(tx: Tx, viewer: Viewer, change: ReactionChange): Promise<void>
}

/** Reaction counts of an object after a change; names that fall to zero disappear. */
export function countReaction(
  counts: Record<string, number>,
  name: string,
  delta: 1 | -1,
): Record<string, number> {
  // Names are free, so they may be those of what every object inherits.
  const next = (Object.hasOwn(counts, name) ? counts[name]! : 0) + delta
  const others = Object.fromEntries(Object.entries(counts).filter(([other]) => other !== name))
  return next > 0 ? { ...others, [name]: next } : others
}
