import { Type, type Static } from 'typebox'
import { Metadata, Nullable, OneOf, Text, Timestamp } from '../../kernel/schema.ts'

const FileAttributes = Type.Object({
  name: Type.String(),
  extension: Type.String(),
  size: Type.Integer(),
  mimeType: Type.String(),
  metadata: Type.Object({
    exif: Metadata,
    gps: Metadata,
    height: Nullable(Type.Integer()),
    width: Nullable(Type.Integer()),
    isFull: Type.Boolean(),
  }),
})

export const File = Type.Object({
  fileId: Type.String(),
  fileUrl: Type.String(),
  type: OneOf(['image', 'file', 'video', 'clip', 'audio']),
  altText: Nullable(Type.String()),
  accessType: OneOf(['public', 'network']),
  attributes: FileAttributes,
  isDeleted: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  // Of videos and clips only.
  feedType: Type.Optional(Nullable(Type.String())),
  status: Type.Optional(OneOf(['uploaded', 'transcoding', 'transcoded', 'transcodeFailed'])),
  videoUrl: Type.Optional(Nullable(Type.Record(Type.String(), Type.String()))),
})
export type File = Static<typeof File>

export const FileIdParams = Type.Object({ fileId: Text(50, 1) })
