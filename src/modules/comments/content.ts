import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireFiles } from '../files/index.ts'
import { requireAllowedText, textsIn } from '../moderation/index.ts'
import { resolveUserIds } from '../users/index.ts'
import type { UpdateCommentBody } from './schema.ts'
import type { CommentRow } from './store.ts'

const maxJsonBytes = 100_000
const maxMentioned = 30

interface Attachment {
  type: 'image'
  fileId: string
}

/** The columns that hold what a comment says. */
export interface CommentContent {
  dataTypes: string[]
  data: string
  metadata: string
  attachments: string
  links: string
  mentionedUserIds: string[]
}

type Current = Pick<CommentRow, 'data' | 'metadata' | 'attachments' | 'links' | 'mentionedUserIds'>

const nothing: Current = { data: {}, metadata: {}, attachments: [], links: [], mentionedUserIds: [] }

/** Refuses what may not be written: blocked words, links off the allow list. Called before anything is locked. */
export async function requireAllowedContent(
  tx: Tx,
  viewer: Viewer,
  { data = {}, links = [] }: UpdateCommentBody,
  isEdit: boolean,
): Promise<void> {
  await requireAllowedText(tx, viewer, {
    texts: textsIn(data),
    links: links.map(({ url }) => url),
    isEdit,
  })
}

/**
 * What a comment says with a body laid over what it said before: members that the body does not name stay. Fails when
 * nothing is left to read or see, when something is too large or refers to what does not exist.
 */
export async function readContent(
  tx: Tx,
  body: UpdateCommentBody,
  current?: Current,
): Promise<CommentContent> {
  const before = current ?? nothing
  const data = readData(body.data, before.data as Record<string, unknown>)
  const metadata = body.metadata ?? before.metadata
  const links = body.links ?? (before.links as { url: string }[])
  const named = body.attachments && (await readAttachments(tx, body.attachments))
  const attachments = named ?? (before.attachments as unknown as Attachment[])
  if (data.text.trim() === '' && attachments.length === 0)
    fail('badRequest', 'a comment needs text or an attachment')
  if (jsonBytes({ ...data, text: '' }) > maxJsonBytes) fail('invalid', `data is over ${maxJsonBytes} bytes`)
  if (jsonBytes(metadata) > maxJsonBytes) fail('invalid', `metadata is over ${maxJsonBytes} bytes`)
  return {
    dataTypes: [...(data.text === '' ? [] : ['text']), ...(attachments.length > 0 ? ['image'] : [])],
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
    attachments: JSON.stringify(attachments),
    links: JSON.stringify(links),
    mentionedUserIds: body.mentionees ? await readMentioned(tx, body.mentionees) : before.mentionedUserIds,
  }
}

function readData(
  data: UpdateCommentBody['data'],
  before: Record<string, unknown>,
): Record<string, unknown> & { text: string } {
  const said: Record<string, unknown> = data ?? before
  return { ...said, text: typeof said.text === 'string' ? said.text : '' }
}

async function readMentioned(
  tx: Tx,
  mentionees: NonNullable<UpdateCommentBody['mentionees']>,
): Promise<string[]> {
  const userIds = new Set(mentionees.flatMap((mentionee) => mentionee.userIds))
  if (userIds.size > maxMentioned) fail('invalid', `mentionees name over ${maxMentioned} users`)
  return resolveUserIds(tx, [...userIds])
}

async function readAttachments(tx: Tx, attachments: { fileId: string }[]): Promise<Attachment[]> {
  const fileIds = [...new Set(attachments.map(({ fileId }) => fileId))]
  await requireFiles(tx, fileIds, ['image'])
  return fileIds.map((fileId) => ({ type: 'image', fileId }))
}
