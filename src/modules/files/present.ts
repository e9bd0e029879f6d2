import { iso } from '../../kernel/schema.ts'
import type { File } from './schema.ts'
import type { FileRow } from './store.ts'

/** Clients append `?size=` to `fileUrl`, so it carries no query of its own. `baseUrl` is the server's own address. */
export function presentFile(row: FileRow, baseUrl: string): File {
  const {
    exif = {},
    gps = {},
    height = null,
    width = null,
    isFull = true,
  } = row.metadata as Partial<File['attributes']['metadata']>
  const fileUrl = `${baseUrl}/api/v3/files/${row.id}/download`
  const isVideo = row.type === 'video' || row.type === 'clip'
  return {
    fileId: row.id,
    fileUrl,
    type: row.type as File['type'],
    altText: row.altText,
    accessType: row.accessType as File['accessType'],
    attributes: {
      name: row.name,
      extension: row.extension,
      size: row.size,
      mimeType: row.mimeType,
      metadata: { exif, gps, height, width, isFull },
    },
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    ...(isVideo && {
      feedType: row.feedType,
      status: row.status as File['status'],
      videoUrl: { original: fileUrl },
    }),
  }
}
