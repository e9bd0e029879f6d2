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

export const Link = Type.Object({
  url: Text(2000, 1),
  index: Type.Optional(Type.Integer({ minimum: 0 })),
  length: Type.Optional(Type.Integer({ minimum: 0 })),
  renderPreview: Type.Optional(Type.Boolean()),
  domain: Type.Optional(Nullable(Text(300))),
  title: Type.Optional(Nullable(Text(1000))),
  imageUrl: Type.Optional(Nullable(Text(2000))),
})

/** A product of the app's own catalogue, shown on the whole post or at a place in its text. */
export const ProductTag = Type.Object(
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

/** What a post said before an edit. */
export const PostVersion = Type.Object({
  version: Type.Integer(),
  ...Type.Pick(PostChild, ['data', 'metadata', 'tags', 'hashtags', 'links', 'children']).properties,
  /** Who replaced it, by public id, and when. */
  editedBy: Type.String(),
  editedAt: Timestamp,
})
export type PostVersion = Static<typeof PostVersion>
