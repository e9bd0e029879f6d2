import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { findFilesById } from '../files/index.ts'
import { requireAllowedText } from '../moderation/index.ts'

const maxMetadataBytes = 100_000

/** What streams and rooms say of themselves. */
export interface LiveContent {
  title?: string | null
  description?: string | null
  thumbnailFileId?: string | null
  metadata?: object | null
}

/** Fails when a text is not allowed here, the metadata is too large, or the thumbnail is no picture that is there. */
export async function requireLiveContent(
  tx: Tx,
  viewer: Viewer,
  { title, description, thumbnailFileId, metadata }: LiveContent,
): Promise<void> {
  if (metadata && jsonBytes(metadata) > maxMetadataBytes)
    fail('invalid', `metadata is over ${maxMetadataBytes} bytes`)
  if (thumbnailFileId) {
    const [file] = await findFilesById(tx, [thumbnailFileId])
    if (!file || file.isDeleted) return fail('notFound', 'thumbnailFileId')
    if (file.type !== 'image') fail('badRequest', 'thumbnailFileId is not an image')
  }
  await requireAllowedText(tx, viewer, { texts: [title, description].filter((text) => text != null) })
}
