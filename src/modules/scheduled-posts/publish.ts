import { Ajv } from 'ajv'
import { now } from '../../platform/clock.ts'
import { isRetryable } from '../../platform/database/database.ts'
import { attempt } from '../../platform/database/savepoint.ts'
import { inTransaction, type Db, type Tx } from '../../kernel/database.ts'
import { ApiError, toApiError } from '../../kernel/errors.ts'
import { defineJob, type Job, type JobContext } from '../../kernel/jobs.ts'
import { createPost, CreatePostBody } from '../posts/index.ts'
import type { Scheduling } from './actions.ts'
import { requireAuthor } from './author.ts'
import type { PostData } from './schema.ts'
import {
  deleteEndedBefore,
  findDueIds,
  findScheduledPosts,
  lockScheduledPost,
  updateScheduledPost,
  type ScheduledPostRow,
} from './store.ts'

const everyMs = 30_000
const batch = 50
const maxAttempts = 5
const retryMs = 60_000
const keptDays = 30

/** Publishes what is due, one after another over all nodes, so that late posts appear in their order. */
export function createPublishing(scheduling: Scheduling): Job<undefined> {
  return defineJob({
    name: 'scheduled-posts.publish',
    queue: 'scheduled-posts',
    everyMs,
    run: (context) => publishDue(context, scheduling),
  })
}

/** Forgets what became of scheduled posts a month ago. */
export const forgettingEnded = defineJob({
  name: 'scheduled-posts.forget',
  everyMs: 3_600_000,
  async run({ db, signal }) {
    const before = new Date(now().getTime() - keptDays * 86_400_000)
    for (let deleted = 1; deleted > 0 && !signal.aborted;)
      deleted = await inTransaction(db, (tx) => deleteEndedBefore(tx, before, 500))
  },
})

async function publishDue({ db, log, signal }: JobContext, scheduling: Scheduling): Promise<void> {
  for (;;) {
    const ids = await findDueIds(db, now(), batch)
    if (ids.length === 0) return
    for (const id of ids) {
      if (signal.aborted) return
      try {
        await publishOne(db, scheduling, id)
      } catch (error) {
        if (toApiError(error).reason === 'unavailable') throw error
        log.error({ err: error, scheduledPostId: id }, 'a scheduled post could not be published')
        await putOff(db, id)
      }
    }
  }
}

async function publishOne(db: Db, scheduling: Scheduling, id: string): Promise<void> {
  const [row] = await findScheduledPosts(db, [id])
  if (!row || row.state !== 'waiting') return
  const hooked = await askPrehooks(db, scheduling, row)
  await inTransaction(db, (tx) => publish(tx, scheduling, row, hooked))
}

/**
 * What pre-hooks make of the post, or their no. They are asked now, as for a post that is made now; and outside the
 * transaction, as they may take long.
 */
async function askPrehooks(
  db: Db,
  { prehooks }: Scheduling,
  row: ScheduledPostRow,
): Promise<PostData | ApiError> {
  const body = row.postData as PostData
  if (!prehooks) return body
  try {
    const viewer = await requireAuthor(db, row.userId)
    return (await prehooks.ask('post.shouldCreate', { viewer, params: {}, body, fits })) as PostData
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

const fits = new Ajv({ strict: false, validateFormats: false }).compile(CreatePostBody)

/** Publishes one post and notes that, in one transaction; or notes why it cannot be published. */
async function publish(
  tx: Tx,
  scheduling: Scheduling,
  asked: ScheduledPostRow,
  hooked: PostData | ApiError,
): Promise<void> {
  const row = await lockScheduledPost(tx, asked.id)
  const at = now()
  // Published, put off, changed or cancelled by somebody meanwhile.
  if (!row || row.state !== 'waiting' || row.scheduledAt > at) return
  if (JSON.stringify(row.postData) !== JSON.stringify(asked.postData)) return
  const failure = await tryToPublish(tx, scheduling, row, hooked, at)
  await updateScheduledPost(tx, row.id, {
    state: failure === null ? 'published' : 'failed',
    failure,
    endedAt: at,
    updatedAt: at,
  })
}

/** Why it could not be published; null when it was. */
async function tryToPublish(
  tx: Tx,
  { references, maxLateMs }: Scheduling,
  row: ScheduledPostRow,
  hooked: PostData | ApiError,
  at: Date,
): Promise<string | null> {
  if (at.getTime() - row.scheduledAt.getTime() > maxLateMs)
    return `The server was away, and ${maxLateMs / 3_600_000} hours is the most a post may be late.`
  try {
    if (hooked instanceof ApiError) throw hooked
    const author = await requireAuthor(tx, row.userId)
    await attempt(tx, () => createPost(tx, author, { ...hooked, postId: row.postId }, references))
    return null
  } catch (error) {
    const known = toApiError(error)
    if (isRetryable(error) || known.reason === 'unexpected' || known.reason === 'unavailable') throw error
    return describe(known)
  }
}

function describe(error: ApiError): string {
  if (error.reason === 'conflict' && error.detail.length > 0) return error.detail.join('; ')
  // What is named is missing; where it was to go has no name of its own in the error.
  if (error.reason === 'notFound' && error.detail.length === 0)
    return 'Where it was to go is not there any more.'
  const { message } = error.toEnvelope()
  return [message, ...error.detail].join(' ')
}

// Nobody foresaw it, so it may pass; the others go first meanwhile.
async function putOff(db: Db, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const row = await lockScheduledPost(tx, id)
    if (row?.state !== 'waiting') return
    const at = now()
    const attempts = row.attempts + 1
    await updateScheduledPost(
      tx,
      id,
      attempts < maxAttempts
        ? { attempts, retryAt: new Date(at.getTime() + attempts * retryMs), updatedAt: at }
        : { attempts, state: 'failed', failure: 'Something went wrong here.', endedAt: at, updatedAt: at },
    )
  })
}
