import { iso } from '../../kernel/schema.ts'
import type { Poll } from './schema.ts'
import type { PollRow } from './store.ts'

/** A poll as it stands at the time it was read. */
export interface TimedPollRow extends PollRow {
  isClosed: boolean
}

/** What this viewer chose. */
export interface PollState {
  choices: readonly string[]
}

export function presentPoll(row: TimedPollRow, state?: PollState): Poll {
  return {
    pollId: row.id,
    userId: row.userPublicId,
    userInternalId: row.userId,
    userPublicId: row.userPublicId,
    title: row.title,
    question: row.question,
    answerType: row.answerType as Poll['answerType'],
    answers: row.answers.map(({ id, dataType, data, fileId, voteCount }) => ({
      id,
      dataType: dataType as Poll['answers'][number]['dataType'],
      data,
      ...(fileId !== null && { fileId }),
      voteCount,
      ...(state && { isVotedByUser: state.choices.includes(id) }),
    })),
    status: row.isClosed ? 'closed' : 'open',
    closedIn: row.closedIn,
    closedAt: iso(row.closedAt),
    ...(state && { isVoted: state.choices.length > 0 }),
    isDeleted: row.isDeleted,
    deletedAt: iso(row.deletedAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}
