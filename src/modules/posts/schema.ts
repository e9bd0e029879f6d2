import { Type, type Static } from 'typebox'
import {
  HashFlag,
  Mentionee,
  Metadata,
  Nullable,
  OneOf,
  ReactionCounts,
  StringList,
  Text,
  Timestamp,
} from '../../kernel/schema.ts'

export const targetTypes = ['user', 'community', 'content'] as const
export const attachmentTypes = ['image', 'video', 'file', 'audio', 'clip'] as const
export type AttachmentType = (typeof attachmentTypes)[number]

const Link = Type.Object({
  url: Text(2000, 1),
  index: Type.Optional(Type.Integer({ minimum: 0 })),
  length: Type.Optional(Type.Integer({ minimum: 0 })),
  renderPreview: Type.Optional(Type.Boolean()),
  domain: Type.Optional(Nullable(Text(300))),
  title: Type.Optional(Nullable(Text(1000))),
  imageUrl: Type.Optional(Nullable(Text(2000))),
})

/** A product of the app's own catalogue, shown on the whole post or at a place in its text. */
const ProductTag = Type.Object(
  {
    productId: Text(900, 1),
    text: Type.Optional(Text(1000)),
    index: Type.Optional(Type.Integer({ minimum: 0 })),
    length: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: true },
)

export const PostChild = Type.Object({
  _id: Type.String(),
  postId: Type.String(),
  path: Type.String(),
  parentPostId: Nullable(Type.String()),
  parentId: Nullable(Type.String()),
  postedUserId: Type.String(),
  postedUserPublicId: Type.String(),
  postedUserInternalId: Type.String(),
  sharedUserId: Nullable(Type.String()),
  targetId: Type.String(),
  targetType: OneOf(targetTypes),
  targetPublicId: Type.String(),
  targetInternalId: Type.String(),
  feedId: Type.String(),
  feedType: OneOf(['published', 'reviewing', 'declined']),
  data: Type.Record(Type.String(), Type.Unknown()),
  dataType: Type.String(),
  structureType: Type.String(),
  metadata: Metadata,
  sharedCount: Type.Integer(),
  flagCount: Type.Integer(),
  hashFlag: HashFlag,
  reactions: ReactionCounts,
  reactionsCount: Type.Integer(),
  myReactions: Type.Optional(StringList),
  commentsCount: Type.Integer(),
  childrenNumber: Type.Integer(),
  impression: Type.Integer(),
  reach: Type.Integer(),
  comments: StringList,
  children: StringList,
  tags: StringList,
  hashtags: StringList,
  mentionees: Type.Array(Mentionee),
  links: Type.Array(Link),
  productTags: Type.Array(ProductTag),
  pinnedProductId: Nullable(Type.String()),
  isDeleted: Type.Boolean(),
  hasFlaggedComment: Type.Boolean(),
  hasFlaggedChildren: Type.Boolean(),
  /** Equal to `createdAt` while the post is as it was first written. */
  editedAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type PostChild = Static<typeof PostChild>

export const Post = Type.Object({
  ...PostChild.properties,
  publisherId: Type.String(),
  publisherPublicId: Type.String(),
})
export type Post = Static<typeof Post>

const PostData = Type.Object(
  {
    title: Type.Optional(Nullable(Text(150))),
    text: Type.Optional(Nullable(Text(50_000))),
    streamId: Type.Optional(Text(100, 1)),
    pollId: Type.Optional(Text(100, 1)),
    roomId: Type.Optional(Text(100, 1)),
    images: Type.Optional(Type.Array(Text(50, 1), { maxItems: 10 })),
    files: Type.Optional(Type.Array(Text(50, 1), { maxItems: 10 })),
  },
  { additionalProperties: true },
)

export const CreatePostBody = Type.Object({
  targetType: Type.Optional(OneOf(targetTypes, { default: 'user' })),
  targetId: Type.Optional(Nullable(Text(900, 1))),
  postId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$' })),
  dataType: Type.Optional(Text(900, 1)),
  data: Type.Optional(PostData),
  text: Type.Optional(Text(50_000)),
  attachments: Type.Optional(
    Type.Array(
      Type.Object(
        {
          fileId: Text(50, 1),
          type: OneOf(attachmentTypes),
        },
        { additionalProperties: true },
      ),
      { maxItems: 10 },
    ),
  ),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Type.Array(Text(24, 1), { maxItems: 5 })),
  hashtags: Type.Optional(Type.Array(Text(100, 1), { maxItems: 30 })),
  mentionees: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Optional(OneOf(['user'])),
        userIds: Type.Array(Text(50, 1), { maxItems: 30 }),
      }),
      { maxItems: 1 },
    ),
  ),
  links: Type.Optional(Type.Array(Link, { maxItems: 100 })),
  createdAt: Type.Optional(Timestamp),
})
export type CreatePostBody = Static<typeof CreatePostBody>

export const PostIdParams = Type.Object({ postId: Text(900, 1) })
export const ListPostsQuery = Type.Object({
  postIds: Type.Array(Text(50, 1), { minItems: 1, maxItems: 100 }),
})
export const DeletePostQuery = Type.Object({ permanent: Type.Optional(Type.Boolean({ default: false })) })
