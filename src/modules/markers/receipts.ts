import { lru } from 'tiny-lru'
import type { Db } from '../../kernel/database.ts'
import { elapsed } from '../../platform/clock.ts'
import { findMarkedMessages, findOwnReaches, findReaches, type MarkedMessageRow } from './receipt-store.ts'

/** A message, and how many have read and received it. */
export interface ContentMarkerRow extends MarkedMessageRow {
  readCount: number
  deliveredCount: number
}

interface Counted {
  readCount: number
  deliveredCount: number
  at: number
}

// In a big channel everyone's client asks about the same messages as soon as they are there, and an answer looks at
// every member: one may be a little old. In ms.
const bigChannel = 1000
const remembersMs = 5_000
const remembered = lru<Counted>(10_000)

/**
 * How many have read and received messages: of those who are members now, were so when it was sent, and did not write
 * it themselves. What someone has read they have received. In channels of more than 1,000 members a count may be 5 s
 * old.
 */
export async function countReceipts(db: Db, ids: string[]): Promise<ContentMarkerRow[]> {
  const messages = await findMarkedMessages(db, ids)
  const now = elapsed()
  const counts = new Map<string, Counted>()
  for (const { id, memberCount } of messages) {
    const known = memberCount > bigChannel ? remembered.get(id) : undefined
    if (known && now - known.at < remembersMs) counts.set(id, known)
  }
  const asked = messages.filter(({ id }) => !counts.has(id))
  for (const [id, count] of await countAnew(db, asked)) {
    const counted = { ...count, at: now }
    counts.set(id, counted)
    remembered.set(id, counted)
  }
  return messages.map((message) => ({ ...message, ...(counts.get(message.id) ?? nobody) }))
}

const nobody = { readCount: 0, deliveredCount: 0 }

async function countAnew(db: Db, messages: MarkedMessageRow[]): Promise<Map<string, typeof nobody>> {
  if (messages.length === 0) return new Map()
  const byFeed = new Map<string, MarkedMessageRow[]>()
  for (const message of messages)
    byFeed.set(message.messageFeedId, [...(byFeed.get(message.messageFeedId) ?? []), message])
  const own = new Map(
    (
      await findOwnReaches(
        db,
        messages.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  )
  const counts = await Promise.all([...byFeed.values()].map((inFeed) => countInFeed(db, inFeed)))
  return new Map(
    counts.flat().map(([id, { readCount, deliveredCount }]) => {
      const { hasRead = false, hasReceived = false } = own.get(id) ?? {}
      return [
        id,
        { readCount: readCount - Number(hasRead), deliveredCount: deliveredCount - Number(hasReceived) },
      ]
    }),
  )
}

async function countInFeed(db: Db, messages: MarkedMessageRow[]) {
  const ascending = messages.toSorted((a, b) => a.segment - b.segment)
  const reaches = await findReaches(
    db,
    ascending[0]!,
    ascending.map(({ segment }) => segment),
  )
  const countFrom = (place: number, kind: 'read' | 'received') =>
    reaches
      .filter((reach) => reach.joined < place && reach[kind] >= place)
      .reduce((sum, reach) => sum + reach.members, 0)
  return ascending.map(({ id }, i) => {
    // The places of messages count from 1: someone who has read the first so many has read this one too.
    const count = { readCount: countFrom(i + 1, 'read'), deliveredCount: countFrom(i + 1, 'received') }
    return [id, count] as const
  })
}
