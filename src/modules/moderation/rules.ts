import { databaseOf, type Db } from '../../kernel/database.ts'
import { everything, isListening, onForget } from '../../kernel/invalidation.ts'
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

interface Remembered {
  rules: RulesInForce | undefined
  /** Counts what was forgotten: rules read before and stored after would otherwise stay. */
  forgotten: number
}

const remembered = new WeakMap<Db, Remembered>()

/** The rules in force. They are read once and kept until somebody on any node changes them. */
export async function rulesInForce(db: Db): Promise<RulesInForce> {
  const database = databaseOf(db)
  if (!isListening(database)) return readRules(db)
  const memory = remembered.get(database) ?? open(database)
  if (memory.rules) return memory.rules
  const { forgotten } = memory
  const rules = await readRules(db)
  if (memory.forgotten === forgotten) memory.rules = rules
  return rules
}

function open(database: Db): Remembered {
  const memory: Remembered = { rules: undefined, forgotten: 0 }
  remembered.set(database, memory)
  const clear = () => {
    memory.forgotten++
    memory.rules = undefined
  }
  onForget(rulesTopic, clear)
  onForget(settingsTopic, (section) => {
    if (section === 'moderation' || section === everything) clear()
  })
  return memory
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
