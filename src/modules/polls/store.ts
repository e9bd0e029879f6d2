import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'

export interface AnswerRow {
  id: string
  dataType: string
  data: string
  fileId: string | null
  voteCount: number
}

export interface PollRow {
  id: string
  userId: string
  userPublicId: string
  title: string | null
  question: string
  answerType: string
  answers: AnswerRow[]
  closedIn: number | null
  closedAt: Date | null
  isClosingTold: boolean
  isDeleted: boolean
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Polls with their answers in order, also deleted ones. */
export async function findPollsById(db: Db, ids: string[]): Promise<PollRow[]> {
  return db
    .selectFrom('polls')
    .innerJoin('users', 'users.id', 'polls.userId')
    .selectAll('polls')
    .select([
      'users.userId as userPublicId',
      sql<AnswerRow[]>`(
        select json_agg(json_build_object('id', answer.id, 'dataType', answer.data_type, 'data', answer.data,
          'fileId', answer.file_id, 'voteCount', answer.vote_count) order by answer.position)
        from poll_answers answer where answer.poll_id = polls.id
      )`.as('answers'),
    ])
    .where('polls.id', '=', anyOf(ids))
    .execute()
}

/** Locks a poll with all that hangs on it until `tx` ends; answers whether it exists. */
export async function lockPoll(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom('polls').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
  return row !== undefined
}

export async function insertPoll(
  tx: Tx,
  poll: Insertable<DB['polls']>,
  answers: Insertable<DB['pollAnswers']>[],
): Promise<void> {
  await tx.insertInto('polls').values(poll).execute()
  await tx.insertInto('pollAnswers').values(answers).execute()
}

export async function updatePoll(tx: Tx, id: string, changes: Updateable<DB['polls']>): Promise<void> {
  await tx.updateTable('polls').set(changes).where('id', '=', id).execute()
}

/** Polls whose time has come and of which nobody was told yet, oldest first. */
export async function findPollsToClose(db: Db, at: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('polls')
    .select('id')
    .where('closedAt', '<=', at)
    .where('isClosingTold', '=', sql.lit(false))
    .orderBy('closedAt')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** The post that shows a poll: its maker's, the one still there before one that was deleted. */
export interface PollPost {
  /** The post whose topic tells of the poll: the one the poll is attached to. */
  id: string
  /** The attached post that holds the poll. */
  childId: string
  targetType: string
  targetId: string
  feedType: string
  isDeleted: boolean
}

export async function findPollPost(db: Db, pollId: string): Promise<PollPost | undefined> {
  return db
    .selectFrom('posts')
    .innerJoin('polls', (join) =>
      join.onRef('polls.userId', '=', 'posts.postedUserId').on('polls.id', '=', pollId),
    )
    .select([
      sql<string>`coalesce(posts.parent_post_id, posts.id)`.as('id'),
      'posts.id as childId',
      'posts.targetType',
      'posts.targetId',
      'posts.feedType',
      'posts.isDeleted',
    ])
    .where('posts.dataType', '=', sql.lit('poll'))
    .where(sql`posts.data ->> 'pollId'`, '=', pollId)
    .orderBy('posts.isDeleted')
    .orderBy('posts.createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** What one user chose, by poll. */
export async function findChoices(db: Db, userId: string, pollIds: string[]): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('pollVotes')
    .select(['pollId', 'answerId'])
    .where('pollId', '=', anyOf(pollIds))
    .where('userId', '=', userId)
    .execute()
  const choices = new Map<string, string[]>()
  for (const { pollId, answerId } of rows) choices.set(pollId, [...(choices.get(pollId) ?? []), answerId])
  return choices
}

/** Records that a user chose these answers of a poll and no longer those, and counts it. */
export async function changeVotes(
  tx: Tx,
  { pollId, userId, at }: { pollId: string; userId: string; at: Date },
  { added, removed }: { added: string[]; removed: string[] },
): Promise<void> {
  if (removed.length > 0) {
    await tx
      .deleteFrom('pollVotes')
      .where('pollId', '=', pollId)
      .where('userId', '=', userId)
      .where('answerId', '=', anyOf(removed))
      .execute()
    await count(tx, removed, -1)
  }
  if (added.length > 0) {
    const votes = added.map((answerId) => ({ pollId, userId, answerId, createdAt: at }))
    await tx.insertInto('pollVotes').values(votes).execute()
    await count(tx, added, 1)
  }
}

async function count(tx: Tx, answerIds: string[], delta: 1 | -1): Promise<void> {
  await tx
    .updateTable('pollAnswers')
    .set((e) => ({ voteCount: e('voteCount', '+', delta) }))
    .where('id', '=', anyOf(answerIds))
    .execute()
}

export interface VoterRow {
  userId: string
  userPublicId: string
  createdAt: Date
  /** All they chose in the poll. */
  answerIds: string[]
}

/** A page of those who chose an answer, by when they did. */
export async function queryVoterRows(
  db: Db,
  answerId: string,
  sortBy: 'lastCreated' | 'firstCreated',
  cursor: Cursor,
): Promise<VoterRow[]> {
  const voters = db
    .selectFrom('pollVotes as vote')
    .innerJoin('users', 'users.id', 'vote.userId')
    .select([
      'vote.userId',
      'users.userId as userPublicId',
      'vote.createdAt',
      sql<string[]>`array(
        select own.answer_id from poll_votes own
        where own.poll_id = vote.poll_id and own.user_id = vote.user_id order by own.answer_id
      )`.as('answerIds'),
    ])
    .where('vote.answerId', '=', answerId)
  const page = keysetPage(
    voters,
    cursor,
    [
      { column: 'vote.createdAt', type: 'time' },
      { column: 'vote.userId', type: 'text' },
    ],
    sortBy === 'firstCreated' ? 'asc' : 'desc',
  )
  return (page ?? fail('badPageToken')).execute()
}
