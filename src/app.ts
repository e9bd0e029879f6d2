import { join } from 'node:path'
import type { DB } from '../db/tables.ts'
import type { Config } from './config.ts'
import { serveEventStreams } from './delivery/event-stream-routes.ts'
import { createRealtime } from './delivery/realtime.ts'
import { createBroadcaster, createRealtimeSink } from './delivery/realtime-sink.ts'
import { createWebhookDelivery } from './delivery/webhooks/index.ts'
import { deliveryLog } from './delivery/webhooks/log.ts'
import { joinCluster } from './delivery/cluster.ts'
import { onBroadcast } from './kernel/broadcast.ts'
import { createAssembler } from './kernel/envelope/assembler.ts'
import { registerSlots } from './kernel/envelope/shape.ts'
import { everything, listenToOthers, onForget } from './kernel/invalidation.ts'
import { limitRequests, openHttp } from './http.ts'
import { bearerToken } from './kernel/http/authenticate.ts'
import { createPendingResponses } from './kernel/http/pending-responses.ts'
import { createRoutes } from './kernel/http/routes.ts'
import { startDispatcher, type Dispatcher, type Sink } from './kernel/outbox/dispatcher.ts'
import { startJobs } from './kernel/jobs.ts'
import { eventsByName, webhookNames, type Slice } from './kernel/slice.ts'
import { createTopicPolicy } from './kernel/topics.ts'
import type { Viewer } from './kernel/viewer.ts'
import { chooseLiveMedia } from './live-media.ts'
import { ads } from './modules/ads/index.ts'
import { analyticsSlice, viewDeparture } from './modules/analytics/index.ts'
import { categories } from './modules/categories/index.ts'
import { channelDeparture, channelsSlice } from './modules/channels/index.ts'
import { communities, communityInvitationTarget, memberDeparture } from './modules/communities/index.ts'
import { channelBansSlice } from './modules/channel-bans/index.ts'
import { deviceDeparture, devices } from './modules/devices/index.ts'
import { eventDeparture, eventsSlice } from './modules/events/index.ts'
import { feeds } from './modules/feeds/index.ts'
import { filesSlice } from './modules/files/index.ts'
import { follows } from './modules/follows/index.ts'
import { createInvitationDeparture, invitationsSlice } from './modules/invitations/index.ts'
import { linkPreviewSlice } from './modules/link-preview/index.ts'
import { markers } from './modules/markers/index.ts'
import { messageFeeds } from './modules/message-feeds/index.ts'
import { messageDeparture, messageReactionTarget, messages } from './modules/messages/index.ts'
import { moderation } from './modules/moderation/index.ts'
import { notificationSettings } from './modules/notification-settings/index.ts'
import { createTraySink, notificationTray } from './modules/notification-tray/index.ts'
import { networkSettings, switchedBy } from './modules/network-settings/index.ts'
import { networkSlice, openNetwork, type NetworkKeys } from './modules/network/index.ts'
import {
  commentsSlice,
  contentCommentTarget,
  createCommentDeparture,
  createCommentReactionTarget,
} from './modules/comments/index.ts'
import {
  createPost,
  postCommentTarget,
  postDeparture,
  postReactionTarget,
  postsSlice,
  postViewTarget,
  requireReadablePost,
} from './modules/posts/index.ts'
import { pollsSlice, requireOwnPoll } from './modules/polls/index.ts'
import { products } from './modules/products/index.ts'
import { presenceDeparture, presenceSlice } from './modules/presence/index.ts'
import { announce, openPush } from './modules/push/index.ts'
import { scheduledPostDeparture, scheduledPostsSlice } from './modules/scheduled-posts/index.ts'
import { reactionsSlice } from './modules/reactions/index.ts'
import { liveReactionsSlice } from './modules/live-reactions/index.ts'
import {
  createRooms,
  openEventRoom,
  requireChattableRoom,
  roomInvitationTarget,
  roomReactionTarget,
  watchedRooms,
} from './modules/rooms/index.ts'
import { roles, viewerTopic } from './modules/roles/index.ts'
import {
  createSessionGuard,
  sessionDeparture,
  sessionsSlice,
  sessionTopic,
  spendVisitorRead,
} from './modules/sessions/index.ts'
import {
  stories,
  storyCommentTarget,
  storyDeparture,
  storyReactionTarget,
  storyViewTarget,
} from './modules/stories/index.ts'
import {
  createStreaming,
  requireChattableStream,
  streamBanFollower,
  streamPostReference,
  streamReactionTarget,
} from './modules/streams/index.ts'
import { typing } from './modules/typing/index.ts'
import { ensureUser, grantRole, usersSlice } from './modules/users/index.ts'
import { webhookEndpoints, webhooksSlice } from './modules/webhooks/index.ts'
import { openDatabase } from './platform/database/database.ts'
import { openObjectStore } from './platform/object-store/open-store.ts'
import { openSpool } from './platform/object-store/spool.ts'
import type { HttpServer } from './platform/http/server.ts'
import { createOutbound } from './platform/outbound/outbound.ts'
import type { Log } from './platform/log.ts'
import { readPushServices } from './platform/push/open-services.ts'
import { inTransaction, type Db } from './kernel/database.ts'

export interface AppOptions {
  config: Config
  databaseUrl: string
  log: Log
  version: string
  /** Over how long the reconnects of realtime clients are spread when the server stops. */
  drainMs?: number
  /** How long a message may be read elsewhere before it is pushed. */
  pushGraceMs?: number
}

/** A whole server, not yet listening. */
export interface App {
  http: HttpServer
  db: Db
  network: NetworkKeys
  dispatcher: Dispatcher
  /** Listens; answers the address clients reach it at. */
  listen(): Promise<string>
  /** Drains: refuses new work, finishes what runs, closes everything it opened. */
  close(): Promise<void>
}

// For receivers of webhooks to answer what is under way when the server stops.
const webhookGraceMs = 5000

/** The composition root: the only place that knows all slices and all engines. */
export async function createApp({
  config,
  databaseUrl,
  log,
  version,
  drainMs = 2000,
  pushGraceMs,
}: AppOptions): Promise<App> {
  const pushServices = await readPushServices(config)
  const store = await openObjectStore(config)
  const db = openDatabase<DB>({
    url: databaseUrl,
    poolSize: config.DATABASE_POOL_SIZE,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  const network = await openNetwork(db, config.HUBBUB_API_KEY)
  await inTransaction(db, async (tx) => {
    await grantRole(tx, await ensureUser(tx, { userId: config.HUBBUB_ADMIN_USER }), 'global-admin')
  })
  const others = listenToOthers(db, databaseUrl, (error) =>
    log.warn({ err: error }, 'not told what other nodes change; remembering nothing meanwhile'),
  )
  const push = await openPush(db, pushServices, { version, log, graceMs: pushGraceMs })
  const sessions = createSessionGuard(db, network.tokens)

  // Until the server listens on a port of the system's choice, its own address is not known.
  let baseUrl = config.publicUrl ?? `http://${config.HOST}:${config.PORT}`

  const previewed = createOutbound({
    userAgent: `Hubbub/${version} (link preview)`,
    allowPrivate: config.HUBBUB_LINK_PREVIEW_ALLOW_PRIVATE,
    ...(!config.HUBBUB_LINK_PREVIEW_ALLOW_PRIVATE && { ports: [80, 443] }),
  })
  const webhooks = createWebhookDelivery({
    db,
    log,
    endpoints: webhookEndpoints,
    signToken: (claims) => network.tokens.sign('webhook', claims),
    version,
    allowPrivate: config.HUBBUB_WEBHOOK_ALLOW_PRIVATE,
    timeoutMs: config.HUBBUB_WEBHOOK_TIMEOUT_SECONDS * 1000,
    retrySeconds: config.webhookRetrySeconds,
    keepDeliveredMs: config.HUBBUB_WEBHOOK_LOG_DAYS * 86_400_000,
  })
  const media = chooseLiveMedia(config, {
    log,
    baseUrl: () => baseUrl,
    rtmpPort: () => streaming.rtmpPort(),
  })
  const live = { ...media, db, log, store, secret: [...network.serverKeys][0]! }
  const rooms = createRooms(live)
  const streaming = createStreaming({ ...live, sources: [rooms.source] })
  const opened = rooms.open(streaming.discardOf(rooms.source))

  const postReferences = [
    { dataType: 'poll', require: requireOwnPoll },
    streamPostReference,
    rooms.postReference,
  ] as const
  const invitationTargets = [communityInvitationTarget, roomInvitationTarget]
  const commentTargets = [postCommentTarget, contentCommentTarget, storyCommentTarget]
  const slices: Slice[] = [
    networkSlice(network),
    sessionsSlice({
      keys: network,
      secureMode: config.HUBBUB_SECURE_MODE,
      trustsClients: isLoopback(config.HOST),
    }),
    networkSettings,
    moderation,
    usersSlice([
      sessionDeparture,
      messageDeparture,
      scheduledPostDeparture,
      deviceDeparture,
      channelDeparture,
      memberDeparture,
      postDeparture,
      storyDeparture,
      createCommentDeparture(commentTargets),
      eventDeparture,
      createInvitationDeparture(invitationTargets),
      viewDeparture,
      presenceDeparture,
      streaming.departure,
      opened.departure,
    ]),
    filesSlice({
      store,
      spool: await openSpool(join(config.dataDir, 'uploads')),
      baseUrl: () => baseUrl,
      signIn: async (token) => (await sessions.signIn(token)).viewer,
    }),
    roles,
    feeds,
    categories,
    ...switchedBy('social', [
      communities,
      invitationsSlice(invitationTargets),
      pollsSlice(requireReadablePost),
      postsSlice(postReferences),
      scheduledPostsSlice({
        references: postReferences,
        prehooks: webhooks.prehooks,
        minAheadMs: config.HUBBUB_SCHEDULE_MIN_MINUTES * 60_000,
        maxLateMs: config.HUBBUB_SCHEDULE_MAX_LATE_HOURS * 3_600_000,
      }),
      stories,
      eventsSlice({
        reminderMs: config.HUBBUB_EVENT_REMINDER_MINUTES * 60_000,
        async openLivestream(tx, viewer, { discussionCommunityId, ...staged }) {
          const roomId = await openEventRoom(tx, viewer, staged)
          const post = { targetType: 'community', targetId: discussionCommunityId, dataType: 'room' } as const
          return createPost(tx, viewer, { ...post, data: { title: staged.title, roomId } }, postReferences)
        },
      }),
      commentsSlice(commentTargets),
    ]),
    ...switchedBy('chat', [
      channelsSlice({ videoStream: requireChattableStream, room: requireChattableRoom }),
      messageFeeds,
      messages,
      typing,
    ]),
    follows,
    products,
    linkPreviewSlice(previewed),
    ads,
    notificationTray,
    notificationSettings,
    devices,
    push.slice,
    analyticsSlice([postViewTarget, storyViewTarget]),
    reactionsSlice([
      postReactionTarget,
      createCommentReactionTarget(commentTargets),
      messageReactionTarget,
      storyReactionTarget,
    ]),
    channelBansSlice([streamBanFollower, rooms.banFollower]),
    markers,
    presenceSlice(watchedRooms),
    webhooksSlice({
      eventNames: () => webhookNames(slices),
      allowPrivate: config.HUBBUB_WEBHOOK_ALLOW_PRIVATE,
      log: deliveryLog,
    }),
    streaming.slice,
    opened.slice,
    liveReactionsSlice([streamReactionTarget, roomReactionTarget]),
  ]

  const slots = registerSlots(slices.map((slice) => slice.slots ?? {}))
  const assemble = createAssembler(slots)
  const http = await openHttp(config, { log, version, db })
  const limits = await limitRequests(http, config, network.serverKeys)
  const responses = createPendingResponses()
  const routes = createRoutes({
    http,
    db,
    assemble,
    slots,
    prehooks: webhooks.prehooks,
    authenticate: async (authorization) => (await sessions.signIn(bearerToken(authorization))).viewer,
    limits,
    responses,
    async spend(viewer, method) {
      if (method === 'GET') await spendVisitorRead(db, viewer, config.HUBBUB_VISITOR_DAILY_READS)
    },
  })
  for (const slice of slices) slice.routes?.(routes)

  const allowed = createTopicPolicy(slices.flatMap((slice) => slice.topics ?? []))
  // Visitors and bots read pages; nothing is sent to them.
  const mayListen = async (viewer: Viewer, filter: string) =>
    viewer.kind === 'signed-in' && allowed(db, viewer, filter)
  const signIn = (token: string) => sessions.signIn(token, 'connection')
  const realtime = createRealtime({
    log,
    settled: async () => cluster?.settled(),
    signIn,
    mayListen,
    groupsOf: async (viewer) =>
      (await Promise.all(slices.map((slice) => slice.groups?.(db, viewer) ?? []))).flat(),
  })
  const stopRechecks = [
    onForget(sessionTopic, (id) =>
      realtime.recheck(({ viewer }) => id === everything || viewer.sessionId === id),
    ),
    onForget(viewerTopic, (id) => realtime.recheck(({ viewer }) => id === everything || viewer.id === id)),
  ]
  const cluster = config.NATS_URL === undefined ? null : await joinCluster(config.NATS_URL, realtime, log)
  const bus = cluster ?? realtime.bus
  http.server.on('upgrade', realtime.handleUpgrade)
  const definitions = eventsByName(slices)
  serveEventStreams(http, { db, assemble, definitions, realtime, signIn, mayListen })

  onBroadcast(db, createBroadcaster(assemble, db, bus, log))
  const sinks: Sink[] = [
    createRealtimeSink(assemble, db, bus),
    webhooks.start({ assemble, announce }),
    createTraySink(db),
    push.sink,
  ]
  const dispatcher = startDispatcher({
    db,
    definitions,
    sinks,
    log,
    windowMs: config.HUBBUB_EVENT_WINDOW_MINUTES * 60_000,
    answered: () => responses.sent(),
    ...(cluster && { onCommitted: cluster.nudge }),
  })
  cluster?.onNudge(dispatcher.nudge)

  const jobs = await startJobs({
    db,
    databaseUrl,
    jobs: slices.flatMap((slice) => slice.jobs ?? []),
    concurrency: config.HUBBUB_JOB_CONCURRENCY,
    log,
  })

  const close = async () => {
    stopRechecks.forEach((stop) => stop())
    // The media first: it tells of its streams, and its players would keep the HTTP server open.
    await streaming.close()
    await Promise.all([http.close(), realtime.close(drainMs)])
    await jobs.stop()
    await dispatcher.stop()
    await previewed.close(0)
    await Promise.all([webhooks.stop(webhookGraceMs), push.stop()])
    sessions.close()
    network.close()
    await others.close()
    await cluster?.leave()
    await db.destroy()
  }
  return {
    http,
    db,
    network,
    dispatcher,
    async listen() {
      try {
        await streaming.start()
        const address = await http.listen({ port: config.PORT, host: config.HOST })
        baseUrl = config.publicUrl ?? address
        return baseUrl
      } catch (error) {
        await close()
        throw error
      }
    },
    close,
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
