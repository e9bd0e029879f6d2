import { Type, type Static, type TSchema } from 'typebox'
import { OneOf } from '../../kernel/schema.ts'

const flag = (fallback: boolean) => Type.Boolean({ default: fallback })

const Chat = Type.Object({
  enabled: flag(true),
  mention: Type.Object({ isAllowMentionedChannelEnabled: flag(true) }, { default: {} }),
  messagePreview: Type.Object({ enabled: flag(true), isIncludeDeleted: flag(false) }, { default: {} }),
  isAllowAdminViewConversationMessage: flag(true),
  isAllowAdminManageConversationMessage: flag(true),
})

const Social = Type.Object({
  enabled: flag(true),
  userPrivacySetting: OneOf(['public', 'private'], { default: 'public' }),
  membershipAcceptance: OneOf(['automatic', 'invitation'], { default: 'automatic' }),
  isFollowWithRequestEnabled: flag(false),
  isAllowEditPostWhenReviewingEnabled: flag(false),
  disallowNonMemberInteractInCommunity: flag(true),
  allowJoinPrivateCommunity: flag(false),
  globalFeed: Type.Object(
    {
      showOnlyMyFeed: flag(false),
      showMyPost: flag(true),
      showEveryonePost: flag(false),
      showCommunityPost: flag(true),
      showFollowingPost: flag(true),
      maxGlobalPinnedPost: Type.Integer({ minimum: 1, maximum: 20, default: 20 }),
    },
    { default: {} },
  ),
  story: Type.Object(
    {
      expiryTimeMinutes: Type.Integer({ minimum: 1, maximum: 1440, default: 1440 }),
      allowAllUserToCreateStory: flag(false),
    },
    { default: {} },
  ),
})

const videoLimits = (maximum: number) =>
  Type.Object(
    {
      video: Type.Object(
        {
          allowed: flag(true),
          transcodeConfig: Type.Record(Type.String(), Type.Unknown(), { default: {} }),
          maxDurationSeconds: Type.Number({ minimum: 1, maximum, default: maximum }),
        },
        { default: {} },
      ),
    },
    { default: {} },
  )
const FeedSetting = Type.Object({
  post: videoLimits(7200),
  message: videoLimits(600),
  story: videoLimits(90),
})

const VideoStreaming = Type.Object({
  enabled: flag(true),
  moderation: Type.Object(
    {
      enabled: flag(false),
      categories: Type.Array(
        Type.Object({
          category: OneOf(['pornography', 'violence', 'prohibited', 'inappropriate', 'profanity']),
          flagThreshold: Type.Number({ minimum: 0, maximum: 1 }),
          terminateThreshold: Type.Number({ minimum: 0, maximum: 1 }),
        }),
        { default: [], maxItems: 5 },
      ),
    },
    { default: {} },
  ),
})

/** Every section of the network's settings: its form, and by the defaults in it what a fresh network has. */
export const sections = {
  chat: Chat,
  social: Social,
  'feed-setting': FeedSetting,
  users: Type.Object({ isAllowUpdateDisplayName: flag(true) }),
  moderation: Type.Object({ isWhitelistEnabled: flag(false) }),
  'video-streaming': VideoStreaming,
  webhook: Type.Object({ enabled: flag(true) }),
  product: Type.Object({ product: Type.Object({ enabled: flag(false) }, { default: {} }) }),
  'semantic-search': Type.Object({
    semanticSearch: Type.Object(
      {
        post: Type.Object({ minScore: Type.Number({ minimum: 0, maximum: 1, default: 0 }) }, { default: {} }),
      },
      { default: {} },
    ),
  }),
  'shareable-deep-links': Type.Object({
    domain: Type.String({ default: '', maxLength: 300 }),
    patterns: Type.Record(Type.String(), Type.String(), { default: {} }),
  }),
  // Intervals in whole minutes: how often clients say that they are there, and ask who else is.
  presence: Type.Object({
    enabled: flag(true),
    heartbeatInterval: Type.Integer({ minimum: 1, maximum: 60, default: 1 }),
    presenceSyncInterval: Type.Integer({ minimum: 1, maximum: 60, default: 1 }),
  }),
  // Which parts of the published UI kit are shown; an empty object leaves all of them.
  uikit: Type.Object({ config: Type.Record(Type.String(), Type.Unknown(), { default: {} }) }),
} satisfies Record<string, TSchema>

export type Section = keyof typeof sections
export type SectionValue<S extends Section> = Static<(typeof sections)[S]>

/** Bodies of the older update operations are flat; these say where each member belongs. */
const flatMembers: Partial<Record<Section, Record<string, string>>> = {
  chat: {
    isAllowMentionedChannelEnabled: 'mention.isAllowMentionedChannelEnabled',
    messagePreviewSetting: 'messagePreview',
  },
  social: {
    showOnlyMyFeed: 'globalFeed.showOnlyMyFeed',
    showMyPost: 'globalFeed.showMyPost',
    showEveryonePost: 'globalFeed.showEveryonePost',
    showCommunityPost: 'globalFeed.showCommunityPost',
    showFollowingPost: 'globalFeed.showFollowingPost',
    maxGlobalPinnedPost: 'globalFeed.maxGlobalPinnedPost',
    storyExpiryTimeMinutes: 'story.expiryTimeMinutes',
    allowAllUserToCreateStory: 'story.allowAllUserToCreateStory',
  },
  webhook: { webhookEnabled: 'enabled' },
  'semantic-search': { postMinScore: 'semanticSearch.post.minScore' },
}

type Tree = Record<string, unknown>

/** A section with the members of an update body laid over it; unknown members are dropped by the caller's check. */
export function overlay(section: Section, current: unknown, body: Tree): Tree {
  const next = structuredClone(current) as Tree
  for (const [name, value] of Object.entries(body)) {
    const path = (flatMembers[section]?.[name] ?? name).split('.')
    merge(next, path, value)
  }
  return next
}

function merge(into: Tree, [head = '', ...rest]: string[], value: unknown): void {
  if (!Object.hasOwn(into, head)) return
  if (rest.length > 0) merge(into[head] as Tree, rest, value)
  else if (isTree(into[head]) && isTree(value) && Object.keys(into[head]).length > 0) {
    for (const [name, item] of Object.entries(value)) merge(into[head], [name], item)
  } else into[head] = value
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
