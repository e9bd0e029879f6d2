import type { Db, Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/** Something one viewer looked at: how often, and whether never before. */
export interface ContentViews {
  id: string
  views: number
  isFirst: boolean
  /** How often a link in it was followed. */
  clicks: number
}

/** What can be looked at. Slices hand theirs to the composition root, so that analytics know none of them. */
export interface ViewTarget {
  type: 'post' | 'story'
  /** Those among some ids that exist and that the viewer may see. */
  findReadable(db: Db, viewer: Viewer, ids: string[]): Promise<Set<string>>
  /** Adds to the counters of what the viewer looked at. */
  addViews(tx: Tx, viewer: Viewer, views: ContentViews[]): Promise<void>
  /** Fails unless the viewer may know who looked: `notFound`, or `forbidden`. Answers the internal id. */
  requireInsight(db: Db, viewer: Viewer, id: string): Promise<string>
}
