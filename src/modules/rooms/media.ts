import type { Log } from '../../platform/log.ts'
import type { Stage } from '../../platform/stage/stage.ts'
import type { StreamMedia } from '../streams/index.ts'

/** What rooms ask of the servers that carry their media, after a commit: nobody waits, and failures are logged. */
export interface RoomMedia extends StreamMedia {
  /** Sends somebody (internal id) off the stage. */
  expel(roomId: string, userId: string): void
  /** Begins to mix what is on stage into one stream; `begun` hears the id of what mixes. */
  mix(roomId: string, publishUrl: string, begun: (egressId: string) => Promise<void>): void
}

/** Joins the built-in media with the stage of co-hosts, where there is one. */
export function joinStage(media: StreamMedia, stage: Stage | null, log: Log): RoomMedia {
  function attempt(what: string, roomId: string, work: () => Promise<unknown> | undefined): void {
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => log.error({ err: error, roomId }, `${what} failed`))
  }
  const close = (roomId: string) => attempt('closing a stage', roomId, () => stage?.close(roomId))
  return {
    stop(roomId) {
      media.stop(roomId)
      close(roomId)
    },
    discard: media.discard,
    expel: (roomId, userId) =>
      attempt('sending somebody off a stage', roomId, () => stage?.expel(roomId, userId)),
    mix: (roomId, publishUrl, begun) =>
      attempt('mixing a stage', roomId, async () => {
        if (stage?.mixes) await begun(await stage.mix(roomId, publishUrl))
      }),
  }
}
