import { Type, type Static } from 'typebox'
import { Metadata, Nullable, OneOf, Text, Timestamp } from '../../kernel/schema.ts'
import { attachmentTypes, Link, ProductTag, targetTypes } from './schema.ts'

const maxText = 50_000

const PostData = Type.Object(
  {
    title: Type.Optional(Nullable(Text(150))),
    text: Type.Optional(Nullable(Text(maxText))),
    streamId: Type.Optional(Text(100, 1)),
    pollId: Type.Optional(Text(100, 1)),
    roomId: Type.Optional(Text(100, 1)),
    images: Type.Optional(Type.Array(Text(50, 1), { maxItems: 10 })),
    files: Type.Optional(Type.Array(Text(50, 1), { maxItems: 10 })),
  },
  { additionalProperties: true },
)

const Attachments = Type.Array(
  Type.Object(
    {
      fileId: Text(50, 1),
      type: OneOf(attachmentTypes),
      /** How a clip fills its frame, and whether it starts without sound. */
      displayMode: Type.Optional(OneOf(['fill', 'fit'])),
      isMuted: Type.Optional(Type.Boolean()),
      productTags: Type.Optional(Type.Array(ProductTag, { maxItems: 100 })),
    },
    { additionalProperties: true },
  ),
  { maxItems: 10 },
)
export type AskedAttachment = Static<typeof Attachments>[number]

/** What both a new post and an edit may hold. */
const content = {
  text: Type.Optional(Text(maxText)),
  attachments: Type.Optional(Attachments),
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
  productTags: Type.Optional(Type.Array(ProductTag, { maxItems: 100 })),
  pinnedProductId: Type.Optional(Nullable(Text(900, 1))),
}

export const CreatePostBody = Type.Object({
  ...content,
  targetType: Type.Optional(OneOf(targetTypes, { default: 'user' })),
  targetId: Type.Optional(Nullable(Text(900, 1))),
  postId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$' })),
  dataType: Type.Optional(Text(900, 1)),
  data: Type.Optional(PostData),
  createdAt: Type.Optional(Timestamp),
})
export type CreatePostBody = Static<typeof CreatePostBody>

export const EditPostBody = Type.Object({
  ...content,
  data: Type.Optional(
    Type.Object(
      {
        ...PostData.properties,
        /** Of what is attached: the file, the picture that stands for a video, the stream. */
        fileId: Type.Optional(Text(100, 1)),
        thumbnailFileId: Type.Optional(Nullable(Text(100, 1))),
        streamId: Type.Optional(Text(100, 1)),
      },
      { additionalProperties: true },
    ),
  ),
})
export type EditPostBody = Static<typeof EditPostBody>

export const PostIdParams = Type.Object({ postId: Text(900, 1) })
export const ListPostsQuery = Type.Object({
  postIds: Type.Array(Text(50, 1), { minItems: 1, maxItems: 100 }),
})
export const DeletePostQuery = Type.Object({ permanent: Type.Optional(Type.Boolean({ default: false })) })
