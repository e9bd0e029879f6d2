import { createHash } from 'node:crypto'
import { now } from '../../platform/clock.ts'
import { isQueueFull } from '../../platform/limiter.ts'
import { afterRollback, databaseOf, inTransaction, type Db } from '../../kernel/database.ts'
import { ApiError, fail, type ErrorName } from '../../kernel/errors.ts'
import { countSaying, findMute, forgetSayings, upsertMute } from './habit-store.ts'
import { formsOf, linksIn } from './links.ts'
import { rulesInForce, type RulesInForce } from './rules.ts'
import { findLink, findWord, normalise, type Finding } from './word-list.ts'

/** Something a person wants to write. */
export interface Writing {
  texts: readonly (string | null | undefined)[]
  /** Links beside the text, as clients show them. */
  links?: readonly string[]
  /** Something written before is changed: that is no repetition. */
  isEdit?: boolean
}

/** The texts in the data of something written: whatever of it an app may show as words. */
export function textsIn(data: object): string[] {
  return Object.values(data).filter((value) => typeof value === 'string')
}

/**
 * Refuses what may not be written in posts, comments, messages and polls: `blockedWord`, `blockedLink`, `repeated`;
 * `userMuted` while its author must be silent for such a thing. `author.id` is internal. Call it before anything is
 * locked. In a transaction, the silence that a refusal brings is kept although the transaction is rolled back.
 */
export async function requireAllowedText(db: Db, author: { id: string }, writing: Writing): Promise<void> {
  const rules = await rulesInForce(db)
  const { limits } = rules
  const texts = writing.texts.filter((text): text is string => typeof text === 'string' && text !== '')
  const silences = limits.blacklistMuteTimeout + limits.whitelistMuteTimeout + limits.maxRepetitionMuteTimeout
  if (silences > 0 && (await findMute(db, author.id, now()))) fail('userMuted')
  const refuse = async (reason: ErrorName, muteMs: number, detail: string[]) => {
    if (muteMs > 0) {
      const until = new Date(Math.min(now().getTime() + muteMs, lastTime))
      await afterRollback(db, () => inTransaction(databaseOf(db), (tx) => upsertMute(tx, author.id, until)))
    }
    throw new ApiError(reason, detail)
  }
  const word = await findBlockedWord(rules, texts)
  if (word) await refuse('blockedWord', limits.blacklistMuteTimeout, detailOf(word))
  const link = await findBlockedLink(rules, texts, writing.links ?? [])
  if (link) await refuse('blockedLink', limits.whitelistMuteTimeout, detailOf(link))
  if (!writing.isEdit && (await isRepeated(db, author.id, limits, texts)))
    await refuse('repeated', limits.maxRepetitionMuteTimeout, [])
}

/** Fails with `blockedWord` when one of the texts holds a blocked word. */
export async function verifyTexts(db: Db, texts: string[]): Promise<void> {
  const finding = await findBlockedWord(await rulesInForce(db), texts)
  if (finding) fail('blockedWord', ...detailOf(finding))
}

/** Fails with `blockedLink` when one of the links is not on the allow list, where there is one. */
export async function verifyLinks(db: Db, links: string[]): Promise<void> {
  const finding = await findBlockedLink(await rulesInForce(db), [], links)
  if (finding) fail('blockedLink', ...detailOf(finding))
}

// Each is looked up on its own; nobody writes more.
const maxLinks = 500

type Refusal = Exclude<Finding, 'nothing'>

async function findBlockedWord({ blocked }: RulesInForce, texts: string[]): Promise<Refusal | null> {
  const finding = await inTurn(() => findWord(blocked, texts))
  return finding === 'nothing' ? null : finding
}

async function findBlockedLink(
  { allowed }: RulesInForce,
  texts: string[],
  links: readonly string[],
): Promise<Refusal | null> {
  if (!allowed) return null
  const written = new Set([...links, ...texts.flatMap((text) => linksIn(normalise(text)))])
  if (written.size > maxLinks) return 'unknown'
  for (const link of written) {
    const finding = await inTurn(() => findLink(allowed, formsOf(link)))
    // What is not found on the list is a blocked link found in the text.
    if (finding !== 'found') return finding === 'unknown' ? 'unknown' : 'found'
  }
  return null
}

// A text that cannot be judged in time is refused: whoever knows a slow rule would get past it otherwise.
function detailOf(finding: Refusal): string[] {
  return finding === 'unknown' ? ['it could not be checked in time'] : []
}

async function inTurn(look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    return isQueueFull(error) ? fail('unavailable') : Promise.reject(error as Error)
  }
}

// The last time PostgreSQL and JavaScript both know.
const lastTime = Date.UTC(9999, 11, 31)

async function isRepeated(
  db: Db,
  userId: string,
  { maxRepetition, maxRepetitionTimeout }: RulesInForce['limits'],
  texts: string[],
): Promise<boolean> {
  if (maxRepetition === 0 || maxRepetitionTimeout === 0 || texts.length === 0) return false
  const said = texts.map((text) => normalise(text).toLowerCase().trim()).join('\n')
  const textHash = createHash('sha256').update(said).digest()
  const at = now()
  const since = new Date(Math.max(at.getTime() - maxRepetitionTimeout, 0))
  await forgetSayings(db, since)
  return (await countSaying(db, { userId, textHash, at, since })) > maxRepetition
}
