import type { Log } from '../../platform/log.ts'
import type { Stage } from '../../platform/stage/stage.ts'
import { afterCommit, type Tx } from '../../kernel/database.ts'
import { stopMedia } from '../streams/index.ts'
import { prefix } from './present.ts'

/** What rooms ask of the servers that carry their media, after a commit: nobody waits, and failures are logged. */
export interface RoomMedia {
  /** Sends everybody away, and what streams. */
  stop(tx: Tx, roomId: string): Promise<void>
  /** Sends somebody (internal id) off the stage. */
  expel(tx: Tx, roomId: string, userId: string): void
  /** Begins to mix what is on stage into one stream; `begun` hears the id of what mixes. */
  mix(tx: Tx, roomId: string, publishUrl: string, begun: (egressId: string) => Promise<void>): void
}

/** The built-in media with the stage of co-hosts, where there is one. */
export function createRoomMedia(stage: Stage | null, log: Log): RoomMedia {
  function attempt(tx: Tx, what: string, roomId: string, work: (stage: Stage) => Promise<unknown>): void {
    if (!stage) return
    afterCommit(tx, () => {
      work(stage).catch((error: unknown) => log.error({ err: error, roomId }, `${what} failed`))
    })
  }
  return {
    async stop(tx, roomId) {
      await stopMedia(tx, prefix + roomId)
      attempt(tx, 'closing a stage', roomId, (open) => open.close(roomId))
    },
    expel: (tx, roomId, userId) =>
      attempt(tx, 'sending somebody off a stage', roomId, (open) => open.expel(roomId, userId)),
    mix: (tx, roomId, publishUrl, begun) =>
      attempt(tx, 'mixing a stage', roomId, async (open) => {
        if (open.mixes) await begun(await open.mix(roomId, publishUrl))
      }),
  }
}
