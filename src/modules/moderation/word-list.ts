import {
  createPatternList,
  findMatch,
  type PatternList,
} from '../../platform/pattern-matcher/pattern-matcher.ts'

/** One rule as it is matched. */
export interface WordRule {
  pattern: string
  isMatchExactWord: boolean
}

/** A block list made ready: plain words are looked for here, true patterns in a thread with a time limit. */
export interface WordList {
  words: ReadonlySet<string>
  phrases: readonly string[]
  parts: readonly string[]
  patterns: PatternList
}

/** An allow list made ready: links that are written out, and patterns of whole links. */
export interface LinkList {
  links: ReadonlySet<string>
  patterns: PatternList
}

/** What came of looking: whether something was found, or that looking took too long. */
export type Finding = 'found' | 'nothing' | 'unknown'

const letter = '[\\p{L}\\p{N}\\p{M}_]'
const words = new RegExp(`${letter}+`, 'gu')
const oneWord = new RegExp(`^${letter}+$`, 'u')
const endsInLetter = new RegExp(`${letter}$`, 'u')
const startsWithLetter = new RegExp(`^${letter}`, 'u')
const plain = /^[^\\^$.*+?()[\]{}|]+$/
const plainLink = /^[^\\^$*+?()[\]{}|]+$/
// Zero-width characters and soft hyphens, put inside words so that they look the same and are not.
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g

/** A text without what only makes it look different: compatibility forms and invisible characters. */
export function normalise(text: string): string {
  return text.normalize('NFKC').replace(invisible, '')
}

/** Whether a pattern can be used at all. */
export function isPattern(pattern: string): boolean {
  return toRegExp(pattern) !== null
}

export function createWordList(rules: WordRule[]): WordList {
  const exact = new Set<string>()
  const phrases: string[] = []
  const parts: string[] = []
  const patterns: RegExp[] = []
  for (const { pattern, isMatchExactWord } of rules) {
    const text = normalise(pattern).toLowerCase()
    if (plain.test(pattern) && text !== '') {
      if (!isMatchExactWord) parts.push(text)
      else if (oneWord.test(text)) exact.add(text)
      else phrases.push(text)
    } else {
      const whole = isMatchExactWord ? `(?<!${letter})(?:${pattern})(?!${letter})` : pattern
      patterns.push(...[toRegExp(whole)].filter((one) => one !== null))
    }
  }
  return { words: exact, phrases, parts, patterns: createPatternList(patterns) }
}

/** Whether one of the texts holds a blocked word. */
export async function findWord(list: WordList, texts: string[]): Promise<Finding> {
  const said = texts.map((text) => normalise(text))
  for (const text of said) {
    const lower = text.toLowerCase()
    if (list.parts.some((part) => lower.includes(part))) return 'found'
    if (list.phrases.some((phrase) => standsAlone(lower, phrase))) return 'found'
    if (list.words.size > 0)
      for (const [word] of lower.matchAll(words)) if (list.words.has(word)) return 'found'
  }
  return toFinding(await findMatch(list.patterns, said))
}

export function createLinkList(patterns: string[]): LinkList {
  const regular = patterns.filter((pattern) => !plainLink.test(pattern))
  return {
    links: new Set(patterns.filter((pattern) => plainLink.test(pattern)).map((link) => link.toLowerCase())),
    patterns: createPatternList(
      regular.map((pattern) => toRegExp(`^(?:${pattern})$`)).filter((one) => one !== null),
    ),
  }
}

/** Whether one of the forms of a link is on the list. */
export async function findLink(list: LinkList, forms: string[]): Promise<Finding> {
  if (forms.some((form) => list.links.has(form.toLowerCase()))) return 'found'
  return toFinding(await findMatch(list.patterns, forms))
}

function toFinding(index: number | null): Finding {
  if (index === null) return 'unknown'
  return index < 0 ? 'nothing' : 'found'
}

// Unicode mode refuses escapes that mean nothing; patterns with those are taken as older browsers take them.
function toRegExp(pattern: string): RegExp | null {
  for (const flags of ['iu', 'i']) {
    try {
      return new RegExp(
        flags === 'iu' ? pattern : pattern.replaceAll(letter, '[0-9a-z_\\u00c0-\\ud7ff]'),
        flags,
      )
    } catch {
      continue
    }
  }
  return null
}

function standsAlone(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const joined =
      endsInLetter.test(text.slice(Math.max(0, at - 2), at)) ||
      startsWithLetter.test(text.slice(at + phrase.length, at + phrase.length + 2))
    if (!joined) return true
  }
  return false
}
