import { iso } from '../../kernel/schema.ts'
import { recordingUrl, streamerUrl, watcherUrls, type StreamAddresses } from './addresses.ts'
import type { ModerationRow } from './moderation-store.ts'
import type {
  Label,
  Recording,
  RecordingFile,
  VideoStream,
  VideoStreamModeration,
  VideoStreamStarted,
} from './schema.ts'
import type { RecordingRow, StreamRow } from './store.ts'

/** What one viewer is to a stream. */
export interface StreamState {
  isReadable: boolean
  canManage: boolean
  isBanned: boolean
  /** Opens the stream to this viewer; empty where nothing is needed. */
  query: string
}

/** What is pushed over RTMP says nothing of the device behind it. */
const platform = { name: 'rtmp', version: '1.0' }

/** The little that the webhook of a started stream shows. Its address for encoders is without the key. */
export function presentStarted(row: StreamRow, addresses: StreamAddresses): VideoStreamStarted {
  return {
    streamId: row.id,
    userId: row.userPublicId,
    thumbnailFileId: row.thumbnailFileId,
    title: row.title,
    isLive: row.status === 'live',
    isDeleted: row.isDeleted,
    description: row.description,
    platform,
    startedAt: iso(row.startedAt),
    endedAt: iso(row.endedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    metadata: row.metadata as VideoStream['metadata'],
    resolution: row.resolution as VideoStream['resolution'],
    streamerUrl: streamerUrl(addresses, row.id, null),
  }
}

/** A stream as one viewer sees it; without a state as everybody does: no key, nothing signed. */
export function presentStream(
  row: StreamRow,
  state: StreamState | undefined,
  addresses: StreamAddresses,
): VideoStream {
  const query = state?.query ?? ''
  const isShut = state?.isBanned === true
  return {
    ...presentStarted(row, addresses),
    streamerUrl: streamerUrl(addresses, row.id, state?.canManage === true ? row.streamKey : null),
    userInternalId: row.userId,
    userPublicId: row.userPublicId,
    moderationId: row.moderationId,
    postId: row.postId,
    channelId: row.channelId,
    channelEnabled: row.channelEnabled,
    parentStreamId: row.parentId,
    isParent: row.parentId === null,
    childStreamIds: row.childIds,
    isSecure: row.isSecure,
    status: row.status,
    recordings: isShut ? [] : presentRecordings(row, addresses, query),
    watcherUrl: isShut ? null : watcherUrls(addresses, row.id, query),
    referenceId: row.postId,
    referenceType: row.postId === null ? null : 'post',
    targetId: row.targetPublicId,
    targetType: row.targetType,
    deletedAt: iso(row.deletedAt),
  }
}

/** One entry for each span of unchanging codecs: the whole FLV and M3U8 are in the first. */
function presentRecordings(row: StreamRow, addresses: StreamAddresses, query: string): Recording[] {
  const parts = new Map<number, RecordingRow[]>()
  for (const file of row.recordings) parts.set(file.part, [...(parts.get(file.part) ?? []), file])
  const present = (file: RecordingRow | undefined): RecordingFile | undefined =>
    file && {
      url: recordingUrl(addresses, row.id, file.name, query),
      duration: file.duration,
      startTime: seconds(file.startTime),
      stopTime: seconds(file.stopTime),
    }
  return [...parts.values()].map((files) => {
    const of = (kind: RecordingRow['kind']) => present(files.find((file) => file.kind === kind))
    const forms = { flv: of('flv'), mp4: of('mp4'), m3u8: of('m3u8') }
    const known = Object.fromEntries(Object.entries(forms).filter(([, form]) => form !== undefined))
    const missing = files[0]!.missing
    return { ...known, isPartial: missing.length > 0, missing }
  })
}

function seconds(time: string): number {
  return Math.floor(new Date(time).getTime() / 1000)
}

export function presentModeration(row: ModerationRow): VideoStreamModeration {
  return {
    moderationId: row.id,
    streamId: row.streamId,
    flagLabels: row.flagLabels as Label[],
    terminateLabels: row.terminateLabels as Label[],
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
