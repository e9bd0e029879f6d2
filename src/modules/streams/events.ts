import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { notificationForm } from '../../kernel/outbox/notification.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { networkId, paths, type Audience } from '../../kernel/paths.ts'
import { streamShape } from './resource.ts'

export interface StreamSubject {
  id: string
  /** Who hears of it, decided when it happened. */
  audiences: Audience[]
}

const webhookShape = shape('videoStreamings', 'videoStreamingChildren', 'users', 'files')
const pushShape = shape(
  { videoStreamings: 'videoStreamingsStarted', videoStreamingChildren: 'videoStreamingsStarted' },
  'users',
  'files',
)
const roots = ({ id }: StreamSubject) => ({ videoStreamings: [id] })

function streamEvent(
  realtime: string,
  webhooks: EventDefinition<StreamSubject>['webhooks'] = [{ name: realtime, shape: webhookShape, roots }],
): EventDefinition<StreamSubject> {
  return defineEvent<StreamSubject>({
    name: realtime,
    audiences: ({ audiences }) => audiences,
    realtime: { shape: streamShape, roots },
    webhooks,
  })
}

/** What an operator's own push service is told, ready to be shown. */
const pushForm = notificationForm<StreamSubject>('video-streaming.started', { shape: pushShape, roots })

export const streamStarted = streamEvent('video-streaming.didStart', [
  { name: 'video-streaming.didStart', shape: webhookShape, roots },
  pushForm,
])
export const streamStopped = streamEvent('video-streaming.didStop')
export const streamRecorded = streamEvent('video-streaming.didRecord')
export const streamFlagged = streamEvent('video-streaming.didFlag', [])
export const streamTerminated = streamEvent('video-streaming.didTerminate', [])

export interface ViewerBanSubject {
  streamId: string
  /** Those concerned: only they hear of it, as the client shuts the stream of whoever does. */
  users: { id: string; userId: string }[]
  actor: string
  at: string
}

function viewerBanEvent(name: string): EventDefinition<ViewerBanSubject> {
  return defineEvent<ViewerBanSubject>({
    name,
    audiences: ({ users }) => users.map(({ id }) => paths.smartFeed(id, 'messages')),
    path: () => paths.videoStreaming,
    realtime: {
      extra: ({ streamId, users, actor, at }) => ({
        list: users.map(({ userId }) => ({ streamId, userId, networkId, actor, createdAt: at })),
      }),
    },
  })
}

export const viewerBanned = viewerBanEvent('video-streaming.viewerDidBan')
export const viewerUnbanned = viewerBanEvent('video-streaming.viewerDidUnban')

export interface ViewerCountSubject {
  streamId: string
  audiences: Audience[]
  viewerCount: number
}

/** How many watch a live stream. Only ever broadcast. */
export const viewersCounted = defineEvent<ViewerCountSubject>({
  name: 'video-streaming.viewersCounted',
  audiences: ({ audiences }) => audiences,
  realtime: { extra: ({ streamId, viewerCount }) => ({ streamId, viewerCount }) },
})

export const streamEvents = [
  streamStarted,
  streamStopped,
  streamRecorded,
  streamFlagged,
  streamTerminated,
  viewerBanned,
  viewerUnbanned,
  viewersCounted,
] as EventDefinition[]
