import {
  AccessToken,
  EgressClient,
  EncodingOptionsPreset,
  RoomServiceClient,
  ServerError,
  StreamOutput,
  StreamProtocol,
  WebhookReceiver,
  type VideoGrant,
  type WebhookEvent,
} from 'livekit-server-sdk'
import { newId } from '../ids.ts'
import type { Stage, StageEvent, StagePerson, StageRole } from './stage.ts'

interface LiveKitOptions {
  /** `ws(s)://` or `http(s)://`. */
  url: string
  apiKey: string
  apiSecret: string
  /** Whether an egress service is connected to the server. */
  mixes: boolean
  /** How long a stage stays open when all have left, in seconds. */
  departureSeconds: number
}

/** How long a person has to connect; once connected the server keeps their token fresh. */
const tokenSeconds = 60 * 60
/** How long a stage waits for the first to come, in seconds. */
const emptySeconds = 10 * 60
const requestSeconds = 5
const viewerPrefix = 'viewer:'

const grants: Readonly<Record<StageRole, VideoGrant>> = {
  host: { canPublish: true, canSubscribe: true, canPublishData: true },
  coHost: { canPublish: true, canSubscribe: true, canPublishData: true },
  // Whoever only watches is not shown to others.
  viewer: { canPublish: false, canSubscribe: true, canPublishData: false, hidden: true },
}

/** The stage that the settings name; null when they name none. */
export function configuredStage(config: {
  LIVEKIT_URL?: string
  LIVEKIT_API_KEY?: string
  LIVEKIT_API_SECRET?: string
  LIVEKIT_EGRESS: boolean
  HUBBUB_STREAM_GRACE_SECONDS: number
}): Stage | null {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = config
  if (url === undefined || apiKey === undefined || apiSecret === undefined) return null
  const departureSeconds = config.HUBBUB_STREAM_GRACE_SECONDS
  return createLiveKitStage({ url, apiKey, apiSecret, departureSeconds, mixes: config.LIVEKIT_EGRESS })
}

/** A stage on LiveKit. A room of ours is a room there of the same name. */
function createLiveKitStage({ url, apiKey, apiSecret, ...options }: LiveKitOptions): Stage {
  const httpUrl = url.replace(/^ws/, 'http')
  const reach = { requestTimeout: requestSeconds, failover: false }
  const rooms = new RoomServiceClient(httpUrl, apiKey, apiSecret, reach)
  const egress = new EgressClient(httpUrl, apiKey, apiSecret, reach)
  const webhooks = new WebhookReceiver(apiKey, apiSecret)
  return {
    url: url.replace(/^http/, 'ws'),
    mixes: options.mixes,
    async open(roomId) {
      const { departureSeconds: departureTimeout } = options
      await rooms.createRoom({ name: roomId, emptyTimeout: emptySeconds, departureTimeout })
    },
    close: (roomId) => unlessMissing(rooms.deleteRoom(roomId)),
    token(roomId, person) {
      const token = new AccessToken(apiKey, apiSecret, {
        identity: identityOf(person),
        name: person.name,
        metadata: JSON.stringify({ role: person.role }),
        ttl: tokenSeconds,
      })
      token.addGrant({ roomJoin: true, room: roomId, ...grants[person.role] })
      return token.toJwt()
    },
    async expel(roomId, userId) {
      const people = await rooms.listParticipants(roomId).catch(emptyIfMissing)
      const watching = people.map(({ identity }) => identity).filter((one) => viewerIdOf(one) === userId)
      await Promise.all(
        [userId, ...watching].map((identity) => unlessMissing(rooms.removeParticipant(roomId, identity))),
      )
    },
    async publishing(roomId) {
      const people = await rooms.listParticipants(roomId).catch(emptyIfMissing)
      return people.filter((one) => one.tracks.length > 0).flatMap((one) => userIdOf(one.identity) ?? [])
    },
    async mix(roomId, publishUrl) {
      const output = new StreamOutput({ protocol: StreamProtocol.RTMP, urls: [publishUrl] })
      const encodingOptions = EncodingOptionsPreset.H264_720P_30
      const info = await egress.startRoomCompositeEgress(roomId, { stream: output }, { encodingOptions })
      return info.egressId
    },
    readWebhook: async (body, authorization) => readEvent(await webhooks.receive(body, authorization)),
    async check() {
      await rooms.listRooms([])
    },
  }
}

function readEvent({ event, room, participant, egressInfo }: WebhookEvent): StageEvent | null {
  if (event === 'egress_ended' && egressInfo) {
    const { roomName: roomId, egressId, error } = egressInfo
    return { kind: 'mixEnded', roomId, egressId, error: error || null }
  }
  const roomId = room?.name
  if (!roomId) return null
  if (event === 'room_finished') return { kind: 'finished', roomId }
  const identity = participant?.identity ?? ''
  const userId = userIdOf(identity)
  const viewerId = viewerIdOf(identity)
  if (event === 'participant_joined')
    return viewerId === null
      ? { kind: 'joined', roomId, userId }
      : { kind: 'watching', roomId, userId: viewerId }
  if (event === 'participant_left' || event === 'participant_connection_aborted')
    return { kind: 'left', roomId, userId }
  return event === 'track_published' ? { kind: 'publishing', roomId, userId } : null
}

// A person on stage is there once; viewers may watch on several devices.
function identityOf({ userId, role }: StagePerson): string {
  return role === 'viewer' ? `${viewerPrefix}${userId}:${newId()}` : userId
}

function viewerIdOf(identity: string): string | null {
  return identity.startsWith(viewerPrefix) ? identity.slice(viewerPrefix.length).split(':')[0]! : null
}

/** Programs that mix or record have identities of their own making. */
function userIdOf(identity: string): string | null {
  return /^[0-9a-f]{24}$/.test(identity) ? identity : null
}

function isMissing(error: unknown): boolean {
  return error instanceof ServerError && error.status === 404
}

async function unlessMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

function emptyIfMissing(error: unknown): [] {
  if (isMissing(error)) return []
  throw error
}
