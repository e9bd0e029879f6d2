import type { Db } from '../../kernel/database.ts'
import { iso } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import type { TraySeen } from './schema.ts'
import { findTraySeen } from './store.ts'

// Clients compare both times as text, so what never happened is a time too.
const never = new Date(0)

/** Until when the viewer has seen their tray. Nothing has come into it yet. */
export async function readTraySeen(db: Db, viewer: Viewer): Promise<TraySeen> {
  const seen = await findTraySeen(db, viewer.id)
  return { lastTraySeenAt: iso(seen ?? never), lastTrayOccurredAt: iso(never) }
}
