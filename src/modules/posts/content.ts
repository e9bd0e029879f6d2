import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import { resolveUserIds } from '../users/index.ts'
import type { CreatePostBody, EditPostBody } from './bodies.ts'

const maxCustomBytes = 100_000
const maxMentions = 30

type Data = Record<string, unknown>

/** The data of a new post. Of an app's own type it is kept as it came; of a text it is what the interface names. */
export function newData(dataType: string, { data = {}, text }: CreatePostBody): Data {
  if (dataType !== 'text') return checkedCustom(data)
  return textData({}, { title: data.title, text: data.text ?? text ?? '' })
}

/** The data of a post after an edit: of a text, what is not given stays. */
export function editedData(dataType: string, before: Data, { data, text }: EditPostBody): Data {
  if (dataType !== 'text') return data === undefined ? before : checkedCustom(data)
  return textData(before, { title: data?.title, text: data?.text ?? text })
}

function checkedCustom(data: Data): Data {
  if (jsonBytes(data) > maxCustomBytes) fail('invalid', `data is over ${maxCustomBytes} bytes`)
  return data
}

// An empty title or null takes the title away.
function textData(
  before: Data,
  given: { title?: string | null | undefined; text?: string | null | undefined },
): Data {
  const title = given.title === undefined ? before.title : given.title
  return { ...(title ? { title } : {}), text: given.text ?? before.text ?? '' }
}

/** Fails unless a post says something: a text, a title or something attached. */
export function requireContent(dataType: string, { text, title }: Data, attached: number): void {
  const said = [text, title].some((part) => typeof part === 'string' && part.trim() !== '')
  if (dataType === 'text' && !said && attached === 0) {
    fail('badRequest', 'a post needs text, a title or an attachment')
  }
}

/** What is stored of a body as it was sent, and only if it was sent. */
export async function readExtras(tx: Tx, body: CreatePostBody | EditPostBody) {
  const { metadata, tags, hashtags, mentionees, links, productTags, pinnedProductId } = body
  if (metadata && jsonBytes(metadata) > maxCustomBytes) fail('invalid', 'metadata is too large')
  return {
    ...(metadata && { metadata: JSON.stringify(metadata) }),
    ...(tags && { tags }),
    ...(hashtags && { hashtags }),
    ...(mentionees && { mentionedUserIds: await readMentions(tx, mentionees) }),
    ...(links && { links: JSON.stringify(links) }),
    ...(productTags && { productTags: JSON.stringify(productTags) }),
    ...(pinnedProductId !== undefined && { pinnedProductId }),
  }
}

async function readMentions(tx: Tx, mentionees: NonNullable<EditPostBody['mentionees']>): Promise<string[]> {
  const userIds = [...new Set(mentionees.flatMap((mentionee) => mentionee.userIds))]
  if (userIds.length > maxMentions) fail('invalid', `at most ${maxMentions} people are mentioned`)
  return resolveUserIds(tx, userIds)
}

/** What a post says in words, for those who judge words. */
export function wordsOf(dataType: string, { title, text }: Data): (string | null)[] {
  return dataType === 'text' ? [title, text].map((part) => (typeof part === 'string' ? part : null)) : []
}

/** How a hashtag is compared: without its sign, letters' case aside. */
export function hashtagKey(hashtag: string): string {
  return hashtag.replace(/^#/, '').toLowerCase()
}
