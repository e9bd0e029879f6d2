import { shape } from '../../kernel/envelope/shape.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { PageQuery } from '../../kernel/paging.ts'
import { recordActivities } from './actions.ts'
import { queryViewers } from './queries.ts'
import { Accepted, ActivitiesBody, ViewedIdParams } from './schema.ts'
import type { ViewTarget } from './target.ts'

const tag = 'Analytics'
const plurals = { post: 'posts', story: 'stories' } as const

export function analyticsRoutes({ read, write }: Routes, targets: ViewTarget[]): void {
  write(
    'POST',
    '/api/v1/analytics/activities',
    {
      summary: 'Report what one looked at',
      tag,
      body: ActivitiesBody,
      answers: { schema: Accepted },
      openToVisitors: true,
    },
    async (tx, { viewer, body }) => {
      await recordActivities(tx, viewer, targets, body.activities)
      return { body: { status: 'success' }, status: 202 }
    },
  )
  for (const target of targets) {
    read(
      'GET',
      `/api/v1/analytics/views/${plurals[target.type]}/:contentId/users`,
      {
        summary: `Query who looked at a ${target.type}`,
        tag,
        params: ViewedIdParams,
        query: PageQuery,
        answers: shape('users', 'files'),
        paged: true,
      },
      async (db, { viewer, params: { contentId }, query }) => {
        const { rows, paging } = await queryViewers(db, viewer, target, contentId, query)
        return { roots: { users: rows.map((row) => row.userId) }, paging }
      },
    )
  }
}
