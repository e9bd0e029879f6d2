import { databaseOf, type Db } from '../../kernel/database.ts'
import { everything } from '../../kernel/invalidation.ts'
import { createMemory } from '../../kernel/memory.ts'
import { readSettings, settingsTopic } from '../network-settings/index.ts'
import { findRulesInForce, findSettings } from './store.ts'
import { createLinkList, createWordList, type LinkList, type WordList } from './word-list.ts'

/** Said when a rule or a setting changes: the rules in force are read again. */
export const rulesTopic = 'moderation'

/** What holds for everything that is written, ready to be applied. */
export interface RulesInForce {
  blocked: WordList
  /** Null while any link may be written. */
  allowed: LinkList | null
  /** Milliseconds; 0 for never. */
  limits: {
    maxRepetition: number
    maxRepetitionTimeout: number
    maxRepetitionMuteTimeout: number
    blacklistMuteTimeout: number
    whitelistMuteTimeout: number
  }
}

const memory = createMemory<RulesInForce>(1, [
  { topic: rulesTopic, drops: () => everything },
  { topic: settingsTopic, drops: (section) => (section === 'moderation' ? everything : null) },
])

/** The rules in force. They are read once and kept until somebody on any node changes them. */
export async function rulesInForce(db: Db): Promise<RulesInForce> {
  return memory.recall(databaseOf(db), 'rules', () => readRules(db))
}

const noLimits: RulesInForce['limits'] = {
  maxRepetition: 0,
  maxRepetitionTimeout: 0,
  maxRepetitionMuteTimeout: 0,
  blacklistMuteTimeout: 0,
  whitelistMuteTimeout: 0,
}

async function readRules(db: Db): Promise<RulesInForce> {
  const rules = await findRulesInForce(db)
  const { isWhitelistEnabled } = await readSettings(db, 'moderation')
  const inList = (list: string) => rules.filter((rule) => rule.list === list)
  return {
    blocked: createWordList(inList('block')),
    allowed: isWhitelistEnabled ? createLinkList(inList('allow').map(({ pattern }) => pattern)) : null,
    limits: (await findSettings(db)) ?? noLimits,
  }
}
