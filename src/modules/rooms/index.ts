import type { Log } from '../../platform/log.ts'
import type { Stage } from '../../platform/stage/stage.ts'
import { createQuerySigner } from '../../platform/tokens/signed-query.ts'
import type { Db } from '../../kernel/database.ts'
import type { Slice } from '../../kernel/slice.ts'
import type { BanFollower } from '../channel-bans/index.ts'
import type { PostReference } from '../posts/index.ts'
import { streamerUrl, type DiscardMedia, type LiveSource, type StreamAddresses } from '../streams/index.ts'
import type { UserDeparture } from '../users/index.ts'
import { roomDeparture } from './departure.ts'
import { roomEvents } from './events.ts'
import { createRoomMedia } from './media.ts'
import { prefix } from './present.ts'
import { roomSlots } from './resource.ts'
import { createRoomSource } from './room-source.ts'
import { roomRoutes } from './routes.ts'
import { roomBanFollower, roomPostReference } from './targets.ts'
import { roomTopics } from './topics.ts'
import { watchingRoutes } from './watching-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

export { openEventRoom } from './actions.ts'
export { roomInvitationTarget } from './invitation-target.ts'
export { requireChattableRoom, roomReactionTarget, watchedRooms } from './targets.ts'

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

/** Live rooms: a source of the media engine, what other slices tell them, and the slice, once the engine is there. */
export interface Rooms {
  source: LiveSource
  postReference: PostReference
  banFollower: BanFollower
  open(discard: DiscardMedia): { slice: Slice; departure: UserDeparture }
}

/** Ties rooms to the media engine and the stage of co-hosts. */
export function createRooms({ db, log, addresses, secret, stage, graceMs }: RoomsOptions): Rooms {
  const signer = createQuerySigner(secret)
  const roomMedia = createRoomMedia(stage, log)
  return {
    source: createRoomSource({ db, media: roomMedia, log, stage, graceMs }),
    postReference: roomPostReference(roomMedia),
    banFollower: roomBanFollower(roomMedia),
    open(discard) {
      const media = { ...roomMedia, discard }
      const slice: Slice = {
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
      return { slice, departure: roomDeparture(media) }
    },
  }
}
