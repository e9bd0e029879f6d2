import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { everything, forget } from '../../kernel/invalidation.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { rulesTopic } from './rules.ts'
import type { RuleList, UpdateSettingsBody } from './schema.ts'
import {
  countRules,
  deleteRules,
  deleteRulesExcept,
  findRules,
  findSettings,
  switchRuleRow,
  upsertRules,
  upsertSettings,
  type RuleRow,
  type SettingsRow,
} from './store.ts'
import { isPattern } from './word-list.ts'

const maxRules = 10_000

/** Rules and settings are for those who run the network: who knows a list knows the way round it. */
export function requireModerationAdmin(viewer: Viewer): void {
  if (!isAdmin(viewer)) fail('permissionDenied', 'moderation rules are for admins')
}

interface NewRules {
  regexs: string[]
  isMatchExactWord?: boolean
}

/** Adds rules to a list; those it holds already are changed. Answers the rules named. */
export async function addRules(
  tx: Tx,
  viewer: Viewer,
  list: RuleList,
  { regexs, isMatchExactWord }: NewRules,
): Promise<RuleRow[]> {
  requireModerationAdmin(viewer)
  requirePatterns(regexs)
  const at = now()
  const rules = [...new Set(regexs)].map((pattern) => ({
    id: newId(),
    list,
    pattern,
    createdAt: at,
    updatedAt: at,
  }))
  await upsertRules(tx, rules, isMatchExactWord)
  if ((await countRules(tx, list)) > maxRules) fail('badRequest', `a list holds at most ${maxRules} rules`)
  await forget(tx, rulesTopic, everything)
  return findRules(tx, list, regexs)
}

/** Makes a list hold exactly these patterns. Answers the rules of the list. */
export async function replaceRules(
  tx: Tx,
  viewer: Viewer,
  list: RuleList,
  body: NewRules,
): Promise<RuleRow[]> {
  requireModerationAdmin(viewer)
  await deleteRulesExcept(tx, list, body.regexs, now())
  await addRules(tx, viewer, list, body)
  return findRules(tx, list)
}

/** Takes rules off a list; fails with `notFound` when none of them is on it. Answers what stays. */
export async function removeRules(
  tx: Tx,
  viewer: Viewer,
  list: RuleList,
  ruleIds: string[],
): Promise<RuleRow[]> {
  requireModerationAdmin(viewer)
  if ((await deleteRules(tx, list, ruleIds, now())) === 0) fail('notFound', 'ruleIds')
  await forget(tx, rulesTopic, everything)
  return findRules(tx, list)
}

/** Puts a rule in force or out of it. */
export async function switchRule(
  tx: Tx,
  viewer: Viewer,
  list: RuleList,
  ruleId: string,
  isEnabled: boolean,
): Promise<RuleRow> {
  requireModerationAdmin(viewer)
  const rule = await switchRuleRow(tx, list, ruleId, isEnabled, now())
  await forget(tx, rulesTopic, everything)
  return rule ?? fail('notFound')
}

/** The settings, or what holds before anybody has set one. */
export async function readModerationSettings(db: Db): Promise<SettingsRow> {
  return (await findSettings(db)) ?? unset()
}

/** Changes some settings. */
export async function updateModerationSettings(
  tx: Tx,
  viewer: Viewer,
  { enableImageModeration, imageModeration, ...limits }: UpdateSettingsBody,
): Promise<void> {
  requireModerationAdmin(viewer)
  // Saying yes would promise a judgement of pictures that nothing here makes.
  if (enableImageModeration) fail('badRequest', 'this server has nothing that scores images')
  const current = await readModerationSettings(tx)
  const at = now()
  await upsertSettings(tx, {
    ...current,
    ...limits,
    imageModeration: JSON.stringify({ ...(current.imageModeration as object), ...imageModeration }),
    updatedAt: at,
  })
  await forget(tx, rulesTopic, everything)
}

function requirePatterns(regexs: string[]): void {
  regexs.forEach((pattern, i) => {
    if (!isPattern(pattern)) fail('badRequest', `regexs[${i}] is not a regular expression`)
  })
}

function unset(): SettingsRow {
  const at = now()
  return {
    id: true,
    maxRepetition: 0,
    maxRepetitionTimeout: 0,
    blacklistMuteTimeout: 0,
    whitelistMuteTimeout: 0,
    maxRepetitionMuteTimeout: 0,
    imageModeration: { nudity: 0, suggestive: 0, violence: 0, disturbing: 0 },
    createdAt: at,
    updatedAt: at,
  }
}
