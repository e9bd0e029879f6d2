// Generated from the migrations by `npm run db:types`; do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** Any JSON value. Written as text (`JSON.stringify`), so that it is stored as it came. */
export type Json = string | number | boolean | null | { [key: string]: Json } | Json[]
export type RequiredJson = ColumnType<Json, string, string>
export type DefaultJson = ColumnType<Json, string | undefined, string>
export type NullableJson = ColumnType<Json | null, string | null | undefined, string | null>

export interface Categories {
  id: string
  name: string
  avatarFileId: string | null
  metadata: DefaultJson
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface ChannelMembers {
  channelId: string
  userId: string
  membership: string
  roles: Generated<string[]>
  muteTimeout: Date | null
  joinedAtSegment: Generated<number>
  readToSegment: Generated<number>
  lastMentionedSegment: Generated<number>
  archivedAt: Date | null
  lastActivity: Date
  createdAt: Date
  updatedAt: Date
}

export interface Channels {
  id: string
  channelId: string
  type: string
  displayName: string | null
  avatarFileId: string | null
  metadata: DefaultJson
  tags: Generated<string[]>
  isPublic: boolean
  creatorId: string
  communityId: string | null
  postId: string | null
  videoStreamId: string | null
  roomId: string | null
  isDistinct: Generated<boolean>
  membersKey: string | null
  notificationMode: Generated<string>
  messageAutoDeleteEnabled: Generated<boolean>
  autoDeleteMessageByFlagLimit: Generated<number>
  muteTimeout: Date | null
  rateLimit: Generated<number>
  rateLimitWindow: Generated<number>
  rateLimitTimeout: Date | null
  memberCount: Generated<number>
  moderatorMemberCount: Generated<number>
  messageCount: Generated<number>
  lastChannelMentionSegment: Generated<number>
  isClosed: Generated<boolean>
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  lastActivity: Date
  createdAt: Date
  updatedAt: Date
}

export interface CommentSegments {
  referenceType: string
  referenceId: string
  last: number
}

export interface Comments {
  id: string
  commentId: string
  referenceType: string
  referenceId: string
  targetType: string
  targetId: string
  parentId: string | null
  rootId: string
  userId: string
  dataTypes: string[]
  data: RequiredJson
  metadata: DefaultJson
  attachments: DefaultJson
  links: DefaultJson
  mentionedUserIds: Generated<string[]>
  childrenNumber: Generated<number>
  segmentNumber: number
  reactions: DefaultJson
  reactionsCount: Generated<number>
  flagCount: Generated<number>
  hashFlag: NullableJson
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  editedAt: Date
  createdAt: Date
  updatedAt: Date
}

export interface Communities {
  id: string
  userId: string
  channelId: string
  displayName: string
  description: Generated<string>
  avatarFileId: string | null
  isOfficial: Generated<boolean>
  isPublic: Generated<boolean>
  isDiscoverable: Generated<boolean>
  requiresJoinApproval: Generated<boolean>
  onlyAdminCanPost: Generated<boolean>
  needApprovalOnPostCreation: Generated<boolean>
  allowCommentInStory: Generated<boolean>
  notificationMode: Generated<string>
  tags: Generated<string[]>
  categoryIds: Generated<string[]>
  metadata: DefaultJson
  feedIds: string[]
  eventId: string | null
  postsCount: Generated<number>
  membersCount: Generated<number>
  moderatorMemberCount: Generated<number>
  flaggedPostsCount: Generated<number>
  flaggedCommentsCount: Generated<number>
  trend: Generated<number>
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface CommunityJoinRequests {
  id: string
  communityId: string
  userId: string
  status: string
  responderId: string | null
  respondedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface CommunityMembers {
  communityId: string
  userId: string
  membership: string
  notMemberReason: string | null
  roles: Generated<string[]>
  isInvited: Generated<boolean>
  trendShare: Generated<number>
  lastActivity: Date
  lastJoin: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface ContentViews {
  contentType: string
  contentId: string
  userId: string
  firstViewedAt: Date
}

export interface Devices {
  deviceId: string
  userId: string
  sessionId: string
  platform: string
  vendor: string
  token: string
  createdAt: Date
  updatedAt: Date
}

export interface EventResponses {
  eventId: string
  userId: string
  status: string
  createdAt: Date
  updatedAt: Date
}

export interface Events {
  id: string
  userId: string
  title: string
  description: Generated<string>
  type: string
  coverImageFileId: string | null
  location: string | null
  externalUrl: string | null
  tags: Generated<string[]>
  metadata: DefaultJson
  originType: string
  originId: string
  discussionCommunityId: string
  postId: string | null
  rsvpCount: Generated<number>
  startTime: Date
  endTime: Date
  cancelledAt: Date | null
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
  isStartTold: Generated<boolean>
  remindAt: Date | null
}

export interface Feeds {
  id: string
  targetType: string
  targetId: string
  feedType: string
  postCount: Generated<number>
  createdAt: Date
  updatedAt: Date
}

export interface Files {
  id: string
  userId: string
  type: string
  objectKey: string
  name: string
  extension: string
  mimeType: string
  size: number
  metadata: DefaultJson
  altText: string | null
  accessType: Generated<string>
  feedType: string | null
  status: Generated<string>
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface Flags {
  id: string
  referenceType: string
  referenceId: string
  userId: string
  reason: string | null
  detail: string | null
  createdAt: Date
}

export interface FollowCounts {
  userId: string
  followerCount: Generated<number>
  followingCount: Generated<number>
  pendingCount: Generated<number>
}

export interface Follows {
  fromUserId: string
  toUserId: string
  status: string
  createdAt: Date
  updatedAt: Date
}

export interface Invitations {
  id: string
  type: string
  targetType: string
  targetId: string
  userId: string
  createdBy: string
  status: string
  respondedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface LivePlayers {
  name: string
  node: string
  players: number
  seenAt: Date
}

export interface MessageFeedMarks {
  messageFeedId: string
  userId: string
  channelId: string
  readToSegment: Generated<number>
  deliveredToSegment: Generated<number>
  readingUntil: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface MessageFeeds {
  id: string
  channelId: string
  name: string
  creatorId: string
  childCount: Generated<number>
  lastMessageTimestamp: Date
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  editedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface Messages {
  id: string
  messageId: string | null
  referenceId: string | null
  channelId: string
  messageFeedId: string
  segment: number
  creatorId: string
  parentId: string | null
  dataType: string
  data: DefaultJson
  metadata: DefaultJson
  fileId: string | null
  thumbnailFileId: string | null
  tags: Generated<string[]>
  mentionedUserIds: Generated<string[]>
  mentionsChannel: Generated<boolean>
  childCount: Generated<number>
  flagCount: Generated<number>
  hashFlag: NullableJson
  reactions: DefaultJson
  reactionCount: Generated<number>
  latestReaction: NullableJson
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  editedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface ModerationMutes {
  userId: string
  mutedUntil: Date
}

export interface ModerationRepetitions {
  userId: string
  textHash: Buffer
  times: number
  startedAt: Date
}

export interface ModerationRules {
  id: string
  list: string
  pattern: string
  isMatchExactWord: Generated<boolean>
  isEnabled: Generated<boolean>
  isDeleted: Generated<boolean>
  createdAt: Date
  updatedAt: Date
}

export interface ModerationSettings {
  id: Generated<boolean>
  maxRepetition: Generated<number>
  maxRepetitionTimeout: Generated<number>
  blacklistMuteTimeout: Generated<number>
  whitelistMuteTimeout: Generated<number>
  maxRepetitionMuteTimeout: Generated<number>
  imageModeration: RequiredJson
  createdAt: Date
  updatedAt: Date
}

export interface NetworkKeys {
  key: string
  kind: string
  createdAt: Date
}

export interface NetworkSettings {
  section: string
  value: RequiredJson
  updatedAt: Date
}

export interface NotificationSettings {
  userId: string
  level: string
  targetId: Generated<string>
  isPushNotifiable: boolean | null
  events: DefaultJson
  updatedAt: Date
}

export interface NotificationTrayActs {
  itemId: string
  objectType: string
  objectId: string
  actorId: string
  actedAt: Date
}

export interface NotificationTrayItemSeen {
  userId: string
  itemId: string
  lastSeenAt: Date
}

export interface NotificationTrayItems {
  id: string
  audienceType: string
  audienceId: string
  kind: string
  subjectId: string
  day: Date
  targetType: string
  targetId: string
  referenceType: string | null
  referenceId: string | null
  actionReferenceId: string | null
  parentId: string | null
  rootId: string | null
  lastOccurredAt: Date
}

export interface NotificationTraySeen {
  userId: string
  lastSeenAt: Date
}

export interface OutboxDeadLetters {
  id: string
  sink: string
  position: number
  name: string
  error: string
  failedAt: Date
}

export interface OutboxEvents {
  seq: GeneratedAlways<number>
  position: number | null
  id: string
  name: string
  audiences: string[]
  actorId: string | null
  subject: RequiredJson
  createdAt: Date
}

export interface OutboxHead {
  onlyRow: Generated<boolean>
  position: Generated<number>
  handled: Generated<number>
}

export interface PinTargets {
  targetId: string
  targetType: string
  lastPinsUpdatedAt: Date
}

export interface PinnedPosts {
  targetId: string
  targetType: string
  placement: string
  postId: string
  pinnedBy: string
  pinnedAt: Date
}

export interface PollAnswers {
  id: string
  pollId: string
  position: number
  dataType: string
  data: string
  fileId: string | null
  voteCount: Generated<number>
}

export interface PollVotes {
  pollId: string
  userId: string
  answerId: string
  createdAt: Date
}

export interface Polls {
  id: string
  userId: string
  title: string | null
  question: string
  answerType: string
  closedIn: number | null
  closedAt: Date | null
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
  isClosingTold: Generated<boolean>
}

export interface PostHashtags {
  hashtag: string
  createdAt: Date
  postId: string
}

export interface PostVersions {
  postId: string
  version: number
  data: RequiredJson
  metadata: RequiredJson
  tags: string[]
  hashtags: string[]
  mentionedUserIds: string[]
  links: RequiredJson
  children: string[]
  editedBy: string
  editedAt: Date
}

export interface Posts {
  id: string
  parentPostId: string | null
  targetType: string
  targetId: string
  feedId: string
  feedType: string
  postedUserId: string
  dataType: string
  structureType: string
  data: RequiredJson
  metadata: DefaultJson
  tags: Generated<string[]>
  hashtags: Generated<string[]>
  mentionedUserIds: Generated<string[]>
  links: DefaultJson
  children: Generated<string[]>
  attachedTypes: Generated<string[]>
  productTags: DefaultJson
  pinnedProductId: string | null
  reactions: DefaultJson
  reactionsCount: Generated<number>
  commentsCount: Generated<number>
  flagCount: Generated<number>
  flaggedCommentsCount: Generated<number>
  flaggedChildrenCount: Generated<number>
  hashFlag: NullableJson
  sharedCount: Generated<number>
  impression: Generated<number>
  reach: Generated<number>
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  isErased: Generated<boolean>
  publishedAt: Date | null
  editedAt: Date
  createdAt: Date
  updatedAt: Date
}

export interface PresenceChoices {
  userId: string
  isEnabled: boolean
  enabledAt: Date | null
  updatedAt: Date
}

export interface PushDeliveries {
  id: GeneratedAlways<number>
  noticeId: string
  deviceId: string
  vendor: string
  attempts: Generated<number>
  nextAttemptAt: Date
}

export interface PushKeys {
  kind: string
  publicKey: string
  privateKey: string
  createdAt: Date
}

export interface PushNotices {
  id: string
  eventName: string
  actorId: string | null
  audienceType: string
  audienceId: string | null
  userIds: Generated<string[]>
  withoutUserIds: Generated<string[]>
  targetType: string | null
  targetId: string | null
  settingNames: string[]
  actorRoles: string[]
  objectId: string | null
  postId: string | null
  messageFeedId: string | null
  segment: number | null
  title: string
  body: string
  data: RequiredJson
  collapseKey: string
  isSpread: Generated<boolean>
  createdAt: Date
}

export interface Reactions {
  id: string
  referenceType: string
  referenceId: string
  userId: string
  name: string
  createdAt: Date
}

export interface Roles {
  id: string
  roleId: string
  displayName: string
  permissions: string[]
  isBuiltIn: Generated<boolean>
  isDeleted: Generated<boolean>
  createdAt: Date
  updatedAt: Date
}

export interface RoomParticipants {
  roomId: string
  userId: string
  type: string
  canManageProductTags: boolean
  isOnStage: Generated<boolean>
  isPublishing: Generated<boolean>
  createdAt: Date
}

export interface RoomPresences {
  roomId: string
  userId: string
  joinedAt: Date
  lastHeartbeat: Date
}

export interface RoomRecordings {
  roomId: string
  name: string
  kind: string
  part: number
  objectKey: string
  contentType: string
  size: number
  duration: number
  startTime: Date
  stopTime: Date
  missing: Generated<string[]>
}

export interface RoomWatchSessions {
  roomId: string
  userId: string
  sessionId: string
  startedAt: Date
  endedAt: Date
  watchSeconds: number
  seenAt: Date
}

export interface Rooms {
  id: string
  userId: string
  parentId: string | null
  type: string
  title: string
  description: string | null
  thumbnailFileId: string | null
  metadata: DefaultJson
  liveChatEnabled: boolean
  status: Generated<string>
  streamKey: string | null
  egressId: string | null
  hasMedia: Generated<boolean>
  liveAt: Date | null
  endedAt: Date | null
  recordedAt: Date | null
  seenAt: Date | null
  postId: string | null
  childPostId: string | null
  targetType: string | null
  targetId: string | null
  moderationId: string
  flagLabels: DefaultJson
  terminateLabels: DefaultJson
  moderatedAt: Date | null
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  deletedBy: string | null
  createdAt: Date
  updatedAt: Date
}

export interface ScheduledPosts {
  id: string
  userId: string
  postId: string
  postData: RequiredJson
  post: RequiredJson
  scheduledAt: Date
  state: Generated<string>
  failure: string | null
  attempts: Generated<number>
  retryAt: Date | null
  endedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface Sessions {
  id: string
  userId: string
  deviceId: string | null
  deviceInfo: DefaultJson
  refreshHash: string | null
  expiresAt: Date
  revokedAt: Date | null
  createdAt: Date
}

export interface SigningKeys {
  keyId: string
  algorithm: string
  privateJwk: RequiredJson
  publicJwk: RequiredJson
  createdAt: Date
  retiredAt: Date | null
}

export interface Stories {
  id: string
  creatorId: string
  referenceId: string
  targetType: string
  targetId: string
  dataType: string
  data: RequiredJson
  items: DefaultJson
  metadata: DefaultJson
  reactions: DefaultJson
  reactionsCount: Generated<number>
  commentsCount: Generated<number>
  flagCount: Generated<number>
  flaggedCommentsCount: Generated<number>
  hashFlag: NullableJson
  impression: Generated<number>
  reach: Generated<number>
  isDeleted: Generated<boolean>
  isErased: Generated<boolean>
  deletedAt: Date | null
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
}

export interface StorySeen {
  userId: string
  targetType: string
  targetId: string
  lastExpiresAt: Date
}

export interface StoryTargets {
  targetType: string
  targetId: string
  lastExpiresAt: Date
}

export interface UserBlocks {
  fromUserId: string
  toUserId: string
  createdAt: Date
}

export interface UserPresences {
  userId: string
  lastHeartbeat: Date
}

export interface Users {
  id: string
  userId: string
  kind: Generated<string>
  displayName: string | null
  profileHandle: string | null
  description: Generated<string>
  avatarFileId: string | null
  avatarCustomUrl: string | null
  roles: Generated<string[]>
  metadata: DefaultJson
  tags: Generated<string[]>
  flagCount: Generated<number>
  isGlobalBan: Generated<boolean>
  isBrand: Generated<boolean>
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
  hashFlag: NullableJson
}

export interface VideoStreamBans {
  streamId: string
  userId: string
  bannedBy: string
  createdAt: Date
}

export interface VideoStreamModerations {
  id: string
  streamId: string
  flagLabels: DefaultJson
  terminateLabels: DefaultJson
  createdAt: Date
  updatedAt: Date
}

export interface VideoStreamRecordings {
  streamId: string
  name: string
  kind: string
  part: number
  objectKey: string
  contentType: string
  size: number
  duration: number
  startTime: Date
  stopTime: Date
  missing: Generated<string[]>
}

export interface VideoStreamWatchSessions {
  streamId: string
  userId: string
  sessionId: string
  startedAt: Date
  endedAt: Date
  watchSeconds: number
  seenAt: Date
}

export interface VideoStreams {
  id: string
  userId: string
  parentId: string | null
  title: string
  description: string | null
  thumbnailFileId: string | null
  metadata: DefaultJson
  isSecure: boolean
  resolution: string
  channelEnabled: boolean
  status: Generated<string>
  streamKey: string | null
  startedAt: Date | null
  endedAt: Date | null
  seenAt: Date | null
  postId: string | null
  childPostId: string | null
  targetType: string | null
  targetId: string | null
  isDeleted: Generated<boolean>
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface VisitorReads {
  userId: string
  day: Date
  reads: number
}

export interface WebhookDeliveries {
  seq: GeneratedAlways<number>
  webhookId: string
  messageId: string
  streamKey: string
  state: Generated<string>
  attempts: Generated<number>
  dueAt: Date
  claimedBy: string | null
  firstFailedAt: Date | null
  attemptLog: DefaultJson
  finishedAt: Date | null
  createdAt: Date
}

export interface WebhookEndpoints {
  id: string
  kind: Generated<string>
  url: string
  events: string[]
  description: string
  secret: string
  previousSecret: string | null
  previousSecretUntil: Date | null
  defaultAction: string
  prehookTimeoutMs: number
  isEnabled: Generated<boolean>
  disabledReason: string | null
  createdAt: Date
  updatedAt: Date
}

export interface WebhookMessages {
  id: string
  name: string
  body: string
  createdAt: Date
}

export interface WebhookSenders {
  id: string
  aliveUntil: Date
}

export interface DB {
  categories: Categories
  channelMembers: ChannelMembers
  channels: Channels
  commentSegments: CommentSegments
  comments: Comments
  communities: Communities
  communityJoinRequests: CommunityJoinRequests
  communityMembers: CommunityMembers
  contentViews: ContentViews
  devices: Devices
  eventResponses: EventResponses
  events: Events
  feeds: Feeds
  files: Files
  flags: Flags
  followCounts: FollowCounts
  follows: Follows
  invitations: Invitations
  livePlayers: LivePlayers
  messageFeedMarks: MessageFeedMarks
  messageFeeds: MessageFeeds
  messages: Messages
  moderationMutes: ModerationMutes
  moderationRepetitions: ModerationRepetitions
  moderationRules: ModerationRules
  moderationSettings: ModerationSettings
  networkKeys: NetworkKeys
  networkSettings: NetworkSettings
  notificationSettings: NotificationSettings
  notificationTrayActs: NotificationTrayActs
  notificationTrayItemSeen: NotificationTrayItemSeen
  notificationTrayItems: NotificationTrayItems
  notificationTraySeen: NotificationTraySeen
  outboxDeadLetters: OutboxDeadLetters
  outboxEvents: OutboxEvents
  outboxHead: OutboxHead
  pinTargets: PinTargets
  pinnedPosts: PinnedPosts
  pollAnswers: PollAnswers
  pollVotes: PollVotes
  polls: Polls
  postHashtags: PostHashtags
  postVersions: PostVersions
  posts: Posts
  presenceChoices: PresenceChoices
  pushDeliveries: PushDeliveries
  pushKeys: PushKeys
  pushNotices: PushNotices
  reactions: Reactions
  roles: Roles
  roomParticipants: RoomParticipants
  roomPresences: RoomPresences
  roomRecordings: RoomRecordings
  roomWatchSessions: RoomWatchSessions
  rooms: Rooms
  scheduledPosts: ScheduledPosts
  sessions: Sessions
  signingKeys: SigningKeys
  stories: Stories
  storySeen: StorySeen
  storyTargets: StoryTargets
  userBlocks: UserBlocks
  userPresences: UserPresences
  users: Users
  videoStreamBans: VideoStreamBans
  videoStreamModerations: VideoStreamModerations
  videoStreamRecordings: VideoStreamRecordings
  videoStreamWatchSessions: VideoStreamWatchSessions
  videoStreams: VideoStreams
  visitorReads: VisitorReads
  webhookDeliveries: WebhookDeliveries
  webhookEndpoints: WebhookEndpoints
  webhookMessages: WebhookMessages
  webhookSenders: WebhookSenders
}
