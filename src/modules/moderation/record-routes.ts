import type { Routes } from '../../kernel/http/routes.ts'
import { addRules, removeRules, replaceRules, switchRule } from './actions.ts'
import { presentRule } from './present.ts'
import { listRules } from './queries.ts'
import {
  Record,
  Records,
  RecordsBody,
  RecordsQuery,
  RuleIdParams,
  RuleIdsQuery,
  SwitchRuleBody,
} from './schema.ts'
import type { RuleRow } from './store.ts'

const tag = 'Moderation'
const records = (rules: RuleRow[]) => ({
  body: { status: 'success', success: true, data: { results: rules.map(presentRule) } },
})

const places = [
  { list: 'block', path: '/api/v2/blacklist/records', version: 2 },
  { list: 'allow', path: '/api/v2/whitelist/records', version: 2 },
  { list: 'block', path: '/v1/blacklist/records', version: 1 },
] as const

/** The older operations on the same two lists. */
export function recordRoutes({ read, write }: Routes): void {
  for (const { list, path, version } of places) {
    const described = (what: string) => ({
      summary: `${what} of the ${list} list`,
      tag,
      deprecated: version === 1,
    })
    write(
      'POST',
      path,
      { ...described('Add rules'), body: RecordsBody, answers: { schema: Records } },
      async (tx, { viewer, body }) => records(await addRules(tx, viewer, list, body)),
    )
    write(
      'PUT',
      path,
      { ...described('Replace all rules'), body: RecordsBody, answers: { schema: Records } },
      async (tx, { viewer, body }) => records(await replaceRules(tx, viewer, list, body)),
    )
    write(
      'DELETE',
      path,
      { ...described('Delete rules'), query: RuleIdsQuery, answers: { schema: Records } },
      async (tx, { viewer, query }) => records(await removeRules(tx, viewer, list, query.ruleIds)),
    )
    if (version === 1) continue
    read(
      'GET',
      path,
      { ...described('List rules'), query: RecordsQuery, answers: { schema: Records } },
      async (db, { viewer, query }) => records(await listRules(db, viewer, list, query.regexs)),
    )
    write(
      'PUT',
      `${path}/:ruleId`,
      {
        ...described('Switch a rule'),
        params: RuleIdParams,
        body: SwitchRuleBody,
        answers: { schema: Record },
      },
      async (tx, { viewer, params, body }) => {
        const rule = presentRule(await switchRule(tx, viewer, list, params.ruleId, body.isEnabled))
        return { body: { status: 'success', data: rule, ...rule } }
      },
    )
  }
}
