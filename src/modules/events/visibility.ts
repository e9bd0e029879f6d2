import type { Db } from '../../kernel/database.ts'
import { can } from '../../kernel/permissions.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { arePagesPrivate } from '../places/index.ts'

/** What decides which events a viewer may read, beside the events. */
export interface Visibility {
  viewerId: string
  /** Reads every community. */
  readsCommunities: boolean
  /** Reads every person's page. */
  readsPages: boolean
  arePagesPrivate: boolean
  /** Sees also what people host whom the viewer blocked, or who blocked the viewer. */
  seesBlocked: boolean
}

export async function visibilityOf(db: Db, viewer: Viewer): Promise<Visibility> {
  return {
    viewerId: viewer.id,
    readsCommunities: can('EDIT_COMMUNITY', viewer),
    readsPages: can('DELETE_USER_FEED_POST', viewer),
    arePagesPrivate: await arePagesPrivate(db),
    seesBlocked: can('MANAGE_COMMUNITY_EVENTS', viewer),
  }
}
