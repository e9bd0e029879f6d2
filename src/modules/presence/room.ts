import type { Db } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/** How presence finds rooms, which it knows nothing else of. */
export interface WatchedRooms {
  /** The internal id of a room that the viewer may watch; fails with `notFound` for others. */
  resolve(db: Db, viewer: Viewer, roomId: string): Promise<string>
}
