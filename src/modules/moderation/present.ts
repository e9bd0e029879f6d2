import { iso } from '../../kernel/schema.ts'
import type { Rule, Settings } from './schema.ts'
import type { RuleRow, SettingsRow } from './store.ts'

export function presentRule(row: RuleRow): Rule {
  return {
    ruleId: row.id,
    regex: row.pattern,
    isMatchExactWord: row.isMatchExactWord,
    isEnabled: row.isEnabled,
    isDeleted: row.isDeleted,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

export function presentSettings({
  id: _id,
  imageModeration,
  createdAt,
  updatedAt,
  ...limits
}: SettingsRow): Settings {
  return {
    ...limits,
    enableImageModeration: false,
    imageModeration: imageModeration as Settings['imageModeration'],
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  }
}
