import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'
import { networkId } from '../../kernel/paths.ts'
import { cancelScheduledPost, reschedulePost, schedulePost, type Scheduler } from './actions.ts'
import { withHeld } from './present.ts'
import { queryScheduledPosts } from './queries.ts'
import { scheduledPostShape } from './resource.ts'
import {
  QueryScheduledPostsQuery,
  ReschedulePostBody,
  ScheduledPostParams,
  SchedulePostBody,
} from './schema.ts'

const tag = 'Scheduled post'
const path = '/api/v1/posts/schedule'
const common = {
  tag,
  answers: scheduledPostShape,
  form: withHeld,
  extra: { networkId: Type.String() },
  paged: true,
}
const Deleted = Type.Object({
  status: Type.String(),
  success: Type.Boolean(),
  data: Type.Object({ success: Type.Boolean() }),
})

export function scheduledPostRoutes({ read, write }: Routes, scheduler: Scheduler): void {
  const answer = (...ids: string[]) => ({ roots: { data: ids }, paging: {}, extra: { networkId } })
  write(
    'POST',
    path,
    { summary: 'Schedule a post', body: SchedulePostBody, ...common },
    async (tx, { viewer, body }) => answer(await schedulePost(tx, scheduler, viewer, body)),
  )
  read(
    'GET',
    path,
    { summary: 'Query scheduled posts, the next ones first', query: QueryScheduledPostsQuery, ...common },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryScheduledPosts(db, viewer, query)
      return { ...answer(...rows.map((row) => row.id)), paging }
    },
  )
  read(
    'GET',
    `${path}/:id`,
    { summary: 'Get a scheduled post', params: ScheduledPostParams, ...common },
    async (_db, { params }) => ({ ...answer(params.id), required: 'data' }),
  )
  write(
    'PUT',
    `${path}/:id`,
    {
      summary: 'Change a scheduled post',
      params: ScheduledPostParams,
      body: ReschedulePostBody,
      ...common,
    },
    async (tx, { viewer, params, body }) =>
      answer(await reschedulePost(tx, scheduler, viewer, params.id, body)),
  )
  write(
    'DELETE',
    `${path}/:id`,
    { summary: 'Cancel a scheduled post', tag, params: ScheduledPostParams, answers: { schema: Deleted } },
    async (tx, { viewer, params }) => {
      await cancelScheduledPost(tx, viewer, params.id)
      return { body: { status: 'success', success: true, data: { success: true } } }
    },
  )
}
