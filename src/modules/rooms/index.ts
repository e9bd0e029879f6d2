import type { Log } from '../../platform/log.ts'
import type { Stage } from '../../platform/stage/stage.ts'
import { createQuerySigner } from '../../platform/tokens/signed-query.ts'
import type { Db } from '../../kernel/database.ts'
import type { Slice } from '../../kernel/slice.ts'
import { streamerUrl, type LiveSource, type StreamAddresses, type StreamMedia } from '../streams/index.ts'
import { roomEvents } from './events.ts'
import { joinStage } from './media.ts'
import { prefix } from './present.ts'
import { roomSlots } from './resource.ts'
import { createRoomSource } from './room-source.ts'
import { roomRoutes } from './routes.ts'
import { roomTopics } from './topics.ts'
import { watchingRoutes } from './watching-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

export { openEventRoom } from './actions.ts'
export { roomInvitationTarget } from './invitation-target.ts'
export { requireChattableRoom, roomPostReference, roomReactionTarget, watchedRooms } from './targets.ts'

export interface RoomsOptions {
  db: Db
  log: Log
  addresses: StreamAddresses
  /** Signs addresses of what is watched; the same on every node. */
  secret: string
  /** Where co-hosts meet; null where nobody set one up. */
  stage: Stage | null
  /** How long a room waits for its media to come back, in ms. */
  graceMs: number
}

/** Live rooms: a source of the media engine, and the slice, once the engine is there. */
export interface Rooms {
  source: LiveSource
  slice(media: StreamMedia): Slice
}

/** Ties rooms to the media engine and the stage of co-hosts. */
export function createRooms({ db, log, addresses, secret, stage, graceMs }: RoomsOptions): Rooms {
  const signer = createQuerySigner(secret)
  return {
    source: createRoomSource({ db, log, stage, graceMs }),
    slice(streamMedia) {
      const media = joinStage(streamMedia, stage, log)
      return {
        name: 'rooms',
        slots: roomSlots(addresses, signer),
        events: roomEvents,
        topics: roomTopics,
        routes(routes) {
          roomRoutes(routes, media, { addresses, signer, stage })
          watchingRoutes(routes)
          const publishUrlOf = (room: { id: string; streamKey: string | null }) =>
            streamerUrl(addresses, prefix + room.id, room.streamKey).url
          if (stage) webhookRoutes(routes, stage, { media, log, publishUrlOf }, log)
        },
      }
    },
  }
}
