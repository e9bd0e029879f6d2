import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import { requireAllowedVideo, requireFile } from '../files/index.ts'
import { readSettings } from '../network-settings/index.ts'
import type { CreateStoryBody, StoryData, StoryItem } from './schema.ts'

const maxDataBytes = 10_000
const maxMetadataBytes = 20_000

/** What is stored of a new story. */
export interface StoryContent {
  data: StoryData
  items: StoryItem[]
  metadata: Record<string, unknown>
}

/**
 * Checks what a story shows: a text, or an uploaded picture or video. Fails with `invalid` for what is missing or too
 * large, `notFound` for a file that is not there, `badRequest` for one that may not be a story.
 */
export async function readContent(db: Db, body: CreateStoryBody): Promise<StoryContent> {
  const { items = [], metadata } = body
  if (metadata && jsonBytes(metadata) > maxMetadataBytes) fail('invalid', 'metadata is over 20 KB')
  if (jsonBytes(items) > maxMetadataBytes) fail('invalid', 'items are over 20 KB')
  const data = await readData(db, body)
  if (jsonBytes(data) > maxDataBytes) fail('invalid', 'data is over 10 KB')
  return {
    data,
    items: items.map((item) => ({ type: 'hyperlink', ...item })),
    metadata: metadata ?? {},
  }
}

async function readData(db: Db, { dataType, data }: CreateStoryBody): Promise<StoryData> {
  const text = data.text ?? undefined
  const said = text === undefined ? {} : { text }
  if (dataType === 'text') {
    return text === undefined || text.trim() === '' ? fail('invalid', 'data.text is required') : said
  }
  if (dataType === 'image') {
    const fileId = data.fileId ?? fail('invalid', 'data.fileId is required')
    await requireFile(db, fileId, 'data.fileId', ['image'])
    return { ...said, fileId, imageDisplayMode: data.imageDisplayMode ?? 'fit' }
  }
  const fileId = data.fileId ?? data.videoFileId?.original ?? fail('invalid', 'data.fileId is required')
  const video = await requireFile(db, fileId, 'data.fileId', ['video'])
  requireAllowedVideo(video, (await readSettings(db, 'feed-setting')).story.video)
  const thumbnailFileId = data.thumbnailFileId ?? undefined
  if (thumbnailFileId !== undefined) await requireFile(db, thumbnailFileId, 'data.thumbnailFileId', ['image'])
  return {
    ...said,
    fileId,
    videoFileId: { original: fileId },
    ...(thumbnailFileId !== undefined && { thumbnailFileId }),
  }
}

/** What a story says in words, and the links it shows, for those who judge them. */
export function wordsOf({ data, items }: StoryContent): { texts: string[]; links: string[] } {
  return {
    texts: [data.text, ...items.map((item) => item.data?.customText)].flatMap((text) => text ?? []),
    links: items.flatMap((item) => item.data?.url ?? []),
  }
}
