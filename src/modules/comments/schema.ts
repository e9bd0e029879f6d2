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

export const referenceTypes = ['post', 'content', 'story'] as const

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
  editedAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Comment = Static<typeof Comment>

export const CreateCommentBody = Type.Object({
  referenceId: Text(900, 1),
  referenceType: OneOf(referenceTypes),
  data: Type.Optional(
    Type.Object({ text: Type.Optional(Nullable(Text(50_000))) }, { additionalProperties: true }),
  ),
  metadata: Type.Optional(Metadata),
  links: Type.Optional(Type.Array(Link, { maxItems: 100 })),
  commentId: Type.Optional(Text(900, 1)),
  parentId: Type.Optional(Nullable(Text(900))),
  mentionees: Type.Optional(
    Type.Array(
      Type.Object({
        type: Type.Optional(OneOf(['user'])),
        userIds: Type.Array(Text(50, 1), { maxItems: 30 }),
      }),
      {
        maxItems: 1,
      },
    ),
  ),
  createdAt: Type.Optional(Timestamp),
  attachments: Type.Optional(Type.Array(Attachment, { maxItems: 10 })),
})
export type CreateCommentBody = Static<typeof CreateCommentBody>

export const CommentIdParams = Type.Object({ commentId: Text(900, 1) })
