import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import {
  HashFlag,
  Metadata,
  Nullable,
  OneOf,
  ReactionCounts,
  StringList,
  Text,
  Timestamp,
} from '../../kernel/schema.ts'

export const storyTargetTypes = ['community', 'user'] as const
export type StoryTargetType = (typeof storyTargetTypes)[number]
const dataTypes = ['text', 'image', 'video'] as const
const displayModes = ['fit', 'fill'] as const
const TargetType = OneOf(storyTargetTypes)

const StoryData = Type.Object({
  text: Type.Optional(Type.String()),
  fileId: Type.Optional(Type.String()),
  imageDisplayMode: Type.Optional(OneOf(displayModes)),
  thumbnailFileId: Type.Optional(Type.String()),
  videoFileId: Type.Optional(Type.Object({ original: Type.String() })),
})
export type StoryData = Static<typeof StoryData>

/** Something laid over a story: a link, and where on the picture it is. */
const StoryItem = Type.Object({
  type: Type.Optional(OneOf(['hyperlink'], { default: 'hyperlink' })),
  data: Type.Optional(
    Type.Object({
      url: Type.Optional(Text(1000)),
      customText: Type.Optional(Nullable(Text(30))),
    }),
  ),
  placement: Type.Optional(
    Type.Object({
      width: Type.Optional(Type.Number()),
      height: Type.Optional(Type.Number()),
      transform: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
})
export type StoryItem = Static<typeof StoryItem>

export const Story = Type.Object({
  storyId: Type.String(),
  /** Only in the answer to its creation: clients file a story under it in place of the story's id. */
  referenceId: Type.Optional(Type.String()),
  path: Type.String(),
  creatorId: Type.String(),
  creatorPublicId: Type.String(),
  targetId: Type.String(),
  targetPublicId: Type.String(),
  targetType: TargetType,
  dataType: OneOf(dataTypes),
  data: StoryData,
  items: Type.Array(StoryItem),
  metadata: Metadata,
  flagCount: Type.Integer(),
  hashFlag: HashFlag,
  reactions: ReactionCounts,
  reactionsCount: Type.Integer(),
  myReactions: Type.Optional(StringList),
  comments: StringList,
  commentsCount: Type.Integer(),
  hasFlaggedComment: Type.Boolean(),
  mentionedUsers: Type.Array(Type.Object({ type: Type.String(), userIds: StringList })),
  impression: Type.Integer(),
  reach: Type.Integer(),
  isDeleted: Type.Boolean(),
  expiresAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Story = Static<typeof Story>

/** A place with stories, as one viewer stands to it: something there is unseen while the first time is after the second. */
export const StoryTarget = Type.Object({
  targetId: Type.String(),
  targetPublicId: Type.String(),
  targetType: TargetType,
  lastStoryExpiresAt: Type.Optional(Timestamp),
  lastStorySeenExpiresAt: Type.Optional(Timestamp),
  targetUpdatedAt: Timestamp,
  hasUnseen: Type.Optional(Type.Boolean()),
})
export type StoryTarget = Static<typeof StoryTarget>

/** Clients send members of their own in `data` that nobody reads again, some of them null. */
export const CreateStoryBody = Type.Object({
  data: Type.Object({
    text: Type.Optional(Nullable(Type.String())),
    fileId: Type.Optional(Nullable(Text(50))),
    imageDisplayMode: Type.Optional(OneOf(displayModes, { default: 'fit' })),
    thumbnailFileId: Type.Optional(Nullable(Text(50))),
    videoFileId: Type.Optional(Nullable(Type.Object({ original: Type.Optional(Nullable(Text(50))) }))),
  }),
  dataType: OneOf(dataTypes),
  items: Type.Optional(Type.Array(StoryItem, { maxItems: 10 })),
  targetType: TargetType,
  targetId: Text(900, 1),
  metadata: Type.Optional(Nullable(Metadata)),
  referenceId: Text(200, 1),
})
export type CreateStoryBody = Static<typeof CreateStoryBody>

export const StoryIdParams = Type.Object({ storyId: Type.String({ pattern: '^[a-f\\d]{24}$' }) })
export const DeleteStoryQuery = Type.Object({ permanent: Type.Optional(Type.Boolean()) })

/** A place as clients name it: of people the public id, or the internal one that stories carry. */
export const AskedTarget = Type.Object({ targetType: TargetType, targetId: Text(900, 1) })
export type AskedTarget = Static<typeof AskedTarget>

const sorting = {
  sortBy: Type.Optional(OneOf(['createdAt', 'updatedAt'], { default: 'createdAt' })),
  orderBy: Type.Optional(OneOf(['asc', 'desc'], { default: 'desc' })),
}
const StoryPageQuery = Type.Object({
  ...PageQuery.properties,
  options: Type.Optional(
    Type.Object({
      ...sorting,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      token: Type.Optional(Text(1000, 1)),
    }),
  ),
})
export type StoryPageQuery = Static<typeof StoryPageQuery>

export const ListStoriesQuery = Type.Object({
  ...StoryPageQuery.properties,
  ...AskedTarget.properties,
  dataType: Type.Optional(OneOf(dataTypes)),
  isExpired: Type.Optional(Type.Boolean()),
})
export type ListStoriesQuery = Static<typeof ListStoriesQuery>

const targets = Type.Array(AskedTarget, { minItems: 1, maxItems: 10 })
export const TargetsQuery = Type.Object({ targets })
export const ListByTargetsQuery = Type.Object({ ...StoryPageQuery.properties, targets })
export type ListByTargetsQuery = Static<typeof ListByTargetsQuery>

export const GlobalTargetsQuery = Type.Object({
  ...PageQuery.properties,
  seenState: Type.Optional(OneOf(['all', 'seen', 'unseen'], { default: 'unseen' })),
})
export type GlobalTargetsQuery = Static<typeof GlobalTargetsQuery>
