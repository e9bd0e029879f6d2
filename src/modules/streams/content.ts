import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireFile } from '../files/index.ts'
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
  if (thumbnailFileId) await requireFile(tx, thumbnailFileId, 'thumbnailFileId', ['image'])
  await requireAllowedText(tx, viewer, { texts: [title, description].filter((text) => text != null) })
}
