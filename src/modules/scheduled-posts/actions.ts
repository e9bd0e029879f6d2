import { now } from '../../platform/clock.ts'
import { rehearse } from '../../platform/database/savepoint.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { enqueue, type Job } from '../../kernel/jobs.ts'
import type { Prehooks } from '../../kernel/prehook.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { createPost, findPostsById, presentPost, type PostReferences } from '../posts/index.ts'
import { requireAuthor } from './author.ts'
import { canManageScheduledPost } from './policy.ts'
import { postDataMembers, type PostData, type ReschedulePostBody, type SchedulePostBody } from './schema.ts'
import {
  countWaiting,
  deleteScheduledPost,
  insertScheduledPost,
  lockScheduledPost,
  updateScheduledPost,
  type ScheduledPostRow,
} from './store.ts'

export interface Scheduling {
  references: PostReferences
  /** Who else is asked before a post appears. */
  prehooks?: Prehooks
  /** How far ahead a post must be scheduled at least, in ms. */
  minAheadMs: number
  /** How late a post may still appear, after the server was away; in ms. */
  maxLateMs: number
}

/** Scheduling, and the job that wakes up when something is due. */
export interface Scheduler extends Scheduling {
  publishing: Job<undefined>
}

const maxAheadDays = 30
const maxWaiting = 300

/** Schedules a post of the viewer's, checked as if it were made now. Answers the id of the schedule. */
export async function schedulePost(
  tx: Tx,
  scheduler: Scheduler,
  viewer: Viewer,
  { scheduledAt, postData }: SchedulePostBody,
): Promise<string> {
  const at = now()
  const due = readTime(scheduler, scheduledAt)
  if ((await countWaiting(tx, viewer.id)) >= maxWaiting)
    fail('rateLimited', `${maxWaiting} posts wait already`)
  const postId = postData.postId ?? newId()
  const asked = { ...known(postData), postId }
  const row = { id: newId(), userId: viewer.id, postId, scheduledAt: due, createdAt: at, updatedAt: at }
  await insertScheduledPost(tx, { ...row, ...(await rehearsed(tx, scheduler, viewer, asked)) })
  await wakeUp(tx, scheduler, due)
  return row.id
}

/**
 * Changes when or what is to appear. What has failed may be given a new time; what is published stays. Answers the id
 * of the schedule.
 */
export async function reschedulePost(
  tx: Tx,
  scheduler: Scheduler,
  viewer: Viewer,
  id: string,
  { scheduledAt, postData }: ReschedulePostBody,
): Promise<string> {
  const row = await lockManaged(tx, viewer, id)
  if (row.state === 'published') fail('conflict', 'it is published')
  if (row.state === 'failed' && scheduledAt === undefined)
    fail('conflict', 'it has failed and needs a new time')
  if (postData?.postId !== undefined && postData.postId !== row.postId)
    fail('badRequest', 'the id of the post stays')
  const author = await requireAuthor(tx, row.userId)
  if (row.state === 'failed' && (await countWaiting(tx, row.userId)) >= maxWaiting)
    fail('rateLimited', `${maxWaiting} posts wait already`)
  const due = scheduledAt === undefined ? row.scheduledAt : readTime(scheduler, scheduledAt)
  const asked = laidOver(row.postData as PostData, known(postData ?? {}))
  await updateScheduledPost(tx, id, {
    ...(await rehearsed(tx, scheduler, author, asked)),
    scheduledAt: due,
    state: 'waiting',
    failure: null,
    endedAt: null,
    attempts: 0,
    retryAt: null,
    updatedAt: now(),
  })
  await wakeUp(tx, scheduler, due)
  return id
}

/** Cancels a post that has not appeared, or takes one off the list that has failed. */
export async function cancelScheduledPost(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const row = await lockManaged(tx, viewer, id)
  if (row.state === 'published') fail('conflict', 'it is published')
  await deleteScheduledPost(tx, id)
}

async function lockManaged(tx: Tx, viewer: Viewer, id: string): Promise<ScheduledPostRow> {
  const row = await lockScheduledPost(tx, id)
  return row && canManageScheduledPost(viewer, row) ? row : fail('notFound')
}

function readTime({ minAheadMs }: Scheduling, scheduledAt: string): Date {
  const due = new Date(scheduledAt)
  const ahead = due.getTime() - now().getTime()
  if (!(ahead >= minAheadMs)) fail('invalid', `scheduledAt is less than ${minAheadMs / 60_000} minutes ahead`)
  if (ahead > maxAheadDays * 86_400_000) fail('invalid', `scheduledAt is over ${maxAheadDays} days ahead`)
  return due
}

// A new kind of place needs a place of its own.
function laidOver(before: PostData, given: PostData): PostData {
  const { targetId, ...rest } = before
  const stays = given.targetType === undefined || given.targetType === (before.targetType ?? 'user')
  return { ...rest, ...(stays && targetId !== undefined && { targetId }), ...given }
}

function known(postData: PostData): PostData {
  return Object.fromEntries(
    Object.entries(postData).filter(([name, value]) => postDataMembers.includes(name) && value !== undefined),
  )
}

// Making the post and taking it back is the same check as making it, and shows what it will look like.
async function rehearsed(tx: Tx, { references }: Scheduling, author: Viewer, asked: PostData) {
  const post = await rehearse(tx, async () => {
    const [row] = await findPostsById(tx, [await createPost(tx, author, asked, references)])
    return row ? presentPost(row) : fail('unexpected')
  })
  return { postData: JSON.stringify(asked), post: JSON.stringify(post) }
}

// Posts for one time share one wake-up. A time that was given up costs an idle one.
async function wakeUp(tx: Tx, { publishing }: Scheduler, at: Date): Promise<void> {
  await enqueue(tx, publishing, undefined, { runAt: at, key: `${publishing.name} ${at.toISOString()}` })
}
