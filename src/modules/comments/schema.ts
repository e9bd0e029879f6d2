import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
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

const referenceTypes = ['post', 'content', 'story'] as const

const Link = Type.Object({
  url: Text(2000, 1),
  index: Type.Optional(Type.Integer({ minimum: 0 })),
  length: Type.Optional(Type.Integer({ minimum: 0 })),
  renderPreview: Type.Optional(Type.Boolean()),
  domain: Type.Optional(Nullable(Text(300))),
  title: Type.Optional(Nullable(Text(1000))),
  imageUrl: Type.Optional(Nullable(Text(2000))),
})

const Attachment = Type.Object({ fileId: Text(50, 1), type: Type.Optional(OneOf(['image'])) })

export const Comment = Type.Object({
  _id: Type.String(),
  commentId: Type.String(),
  path: Type.String(),
  userId: Type.String(),
  userPublicId: Type.String(),
  userInternalId: Type.String(),
  /** Absent on a comment that answers none: clients hide those with null. */
  parentId: Type.Optional(Type.String()),
  rootId: Type.String(),
  referenceId: Type.String(),
  referenceType: OneOf(referenceTypes),
  targetId: Type.String(),
  targetType: OneOf(['user', 'community', 'content']),
  dataType: Type.String(),
  dataTypes: StringList,
  data: Metadata,
  metadata: Metadata,
  attachments: Type.Array(Attachment),
  links: Type.Array(Link),
  mentionees: Type.Array(Mentionee),
  children: StringList,
  childrenNumber: Type.Integer(),
  segmentNumber: Type.Integer(),
  flagCount: Type.Integer(),
  hashFlag: HashFlag,
  reactions: ReactionCounts,
  reactionsCount: Type.Integer(),
  myReactions: Type.Optional(StringList),
  isDeleted: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
  editedAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Comment = Static<typeof Comment>

const content = {
  data: Type.Optional(
    Type.Object({ text: Type.Optional(Nullable(Text(50_000))) }, { additionalProperties: true }),
  ),
  metadata: Type.Optional(Metadata),
  links: Type.Optional(Type.Array(Link, { maxItems: 100 })),
  /** Together at most 30 people. */
  mentionees: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Optional(OneOf(['user'])),
        userIds: Type.Array(Text(50, 1), { maxItems: 30 }),
      }),
      { maxItems: 30 },
    ),
  ),
  attachments: Type.Optional(Type.Array(Attachment, { maxItems: 10 })),
}

export const CreateCommentBody = Type.Object({
  ...content,
  referenceId: Text(900, 1),
  referenceType: OneOf(referenceTypes, { default: 'post' }),
  commentId: Type.Optional(Text(900, 1)),
  parentId: Type.Optional(Nullable(Text(900))),
  createdAt: Type.Optional(Timestamp),
})
export type CreateCommentBody = Static<typeof CreateCommentBody>

/** What an edit changes; members that are not named stay. */
export const UpdateCommentBody = Type.Object(content)
export type UpdateCommentBody = Static<typeof UpdateCommentBody>

export const DeleteCommentQuery = Type.Object({ permanent: Type.Boolean({ default: false }) })

/** Clients read neither; the two forms of the interface are both here. */
export const CommentDeleted = Type.Object({
  status: Type.String(),
  success: Type.Boolean(),
  data: Type.Object({ success: Type.Boolean() }),
})

export const CommentIdParams = Type.Object({ commentId: Text(900, 1) })

export const ListCommentsQuery = Type.Object({
  commentIds: Type.Array(Text(50, 1), { minItems: 1, maxItems: 10 }),
})

const Size = Type.Optional(Type.Integer({ minimum: 1, maximum: 100 }))

export const QueryCommentsQuery = Type.Object({
  ...PageQuery.properties,
  referenceId: Text(900, 1),
  referenceType: OneOf(referenceTypes, { default: 'post' }),
  /** Only answers to `parentId`, or without one only comments that answer none. */
  filterByParentId: Type.Boolean({ default: true }),
  parentId: Type.Optional(Text(900)),
  hasFlag: Type.Optional(Type.Boolean()),
  isDeleted: Type.Optional(Type.Boolean()),
  includeDeleted: Type.Optional(Type.Boolean()),
  sortBy: OneOf(['firstCreated', 'lastCreated', 'firstUpdated', 'lastUpdated'], { default: 'lastCreated' }),
  dataTypes: Type.Optional(
    Type.Object({
      values: Type.Optional(Type.Array(Text(100, 1), { maxItems: 10 })),
      matchType: OneOf(['any', 'exact'], { default: 'any' }),
    }),
  ),
  options: Type.Optional(
    Type.Object({
      type: Type.Optional(OneOf(['scrollable', 'pagination'])),
      limit: Size,
      pageSize: Size,
      first: Size,
      last: Size,
      skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
      after: Type.Optional(Text(900, 1)),
      before: Type.Optional(Text(900, 1)),
      token: Type.Optional(Text(1000, 1)),
    }),
  ),
})
export type QueryCommentsQuery = Static<typeof QueryCommentsQuery>
