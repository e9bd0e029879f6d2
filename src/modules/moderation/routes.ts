import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import { Type } from 'typebox'
import { Paging } from '../../kernel/paging.ts'
import {
  addRules,
  readModerationSettings,
  requireModerationAdmin,
  updateModerationSettings,
} from './actions.ts'
import { verifyLinks, verifyTexts } from './check.ts'
import { presentRule, presentSettings } from './present.ts'
import { queryRules } from './queries.ts'
import { recordRoutes } from './record-routes.ts'
import {
  AddRulesBody,
  QueryRulesQuery,
  Rules,
  SettingsAnswer,
  SettingsChanged,
  UpdateSettingsBody,
  VerifyBody,
} from './schema.ts'

const tag = 'Moderation'
const success = { body: { success: true } }
const lists = [
  { list: 'block', path: '/api/v3/blocklists', name: 'block list', verify: verifyTexts },
  { list: 'allow', path: '/api/v3/allowlists', name: 'allow list', verify: verifyLinks },
] as const

export function moderationRoutes(routes: Routes): void {
  const { read, write } = routes
  for (const { list, path, name, verify } of lists) {
    read(
      'GET',
      path,
      {
        summary: `Query the ${name}`,
        tag,
        query: QueryRulesQuery,
        answers: { schema: Type.Object({ ...Rules.properties, paging: Paging }) },
      },
      async (db, { viewer, query }) => {
        const { rows, paging } = await queryRules(db, viewer, list, query)
        return { body: { results: rows.map(presentRule), paging } }
      },
    )
    write(
      'POST',
      path,
      { summary: `Add to the ${name}`, tag, body: AddRulesBody, answers: { schema: Success } },
      async (tx, { viewer, body }) => {
        await addRules(tx, viewer, list, body)
        return success
      },
    )
    read(
      'POST',
      `${path}/verify`,
      { summary: `Ask the ${name} before writing`, tag, body: VerifyBody, answers: { schema: Success } },
      async (db, { body }) => {
        await verify(db, body.data)
        return success
      },
    )
  }
  recordRoutes(routes)
  read(
    'GET',
    '/api/v2/moderation-settings',
    { summary: 'Read the moderation settings', tag, answers: { schema: SettingsAnswer } },
    async (db, { viewer }) => {
      requireModerationAdmin(viewer)
      const settings = presentSettings(await readModerationSettings(db))
      return { body: { status: 'success', data: settings, ...settings } }
    },
  )
  write(
    'PUT',
    '/api/v2/moderation-settings',
    {
      summary: 'Change the moderation settings',
      tag,
      body: UpdateSettingsBody,
      answers: { schema: SettingsChanged },
    },
    async (tx, { viewer, body }) => {
      await updateModerationSettings(tx, viewer, body)
      return { body: { status: 'success', code: '200' } }
    },
  )
}
