import type { Db } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/** What live reactions fly over. Slices hand theirs to the composition root, so that live reactions know none of them. */
export interface LiveReactionTarget {
  /** The member of the body that names one. */
  key: 'liveStreamId' | 'roomId'
  /** Fails unless it is live and the viewer may watch it. Answers the paths of the posts that show it. */
  resolve(db: Db, viewer: Viewer, id: string): Promise<{ id: string; postPaths: string[] }>
}
