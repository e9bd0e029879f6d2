import { Type } from 'typebox'
import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { iso } from '../../kernel/schema.ts'
import { closePoll, createPoll, deletePoll, setVote } from './actions.ts'
import type { RequireReadablePost } from './post.ts'
import { queryVoters, requireReadablePoll } from './queries.ts'
import { pollShape } from './resource.ts'
import {
  AnswerParams,
  ClosePollBody,
  CreatePollBody,
  PollIdParams,
  QueryVotersQuery,
  UserAnswered,
  VoteBody,
} from './schema.ts'

const tag = 'Poll'
const Deleted = Type.Object({
  status: Type.String(),
  success: Type.Boolean(),
  data: Type.Object({ success: Type.Boolean() }),
})

export function pollRoutes({ read, write }: Routes, requireReadablePost: RequireReadablePost): void {
  write(
    'POST',
    '/api/v3/polls',
    { summary: 'Create a poll', tag, body: CreatePollBody, answers: pollShape },
    async (tx, { viewer, body }) => ({ roots: { polls: [await createPoll(tx, viewer, body)] } }),
  )
  read(
    'GET',
    '/api/v3/polls/:pollId',
    { summary: 'Get a poll', tag, params: PollIdParams, answers: pollShape },
    async (db, { viewer, params }) => {
      const { poll } = await requireReadablePoll(db, requireReadablePost, viewer, params.pollId)
      return { roots: { polls: [poll.id] } }
    },
  )
  write(
    'PUT',
    '/api/v3/polls/:pollId',
    {
      summary: 'Close a poll',
      tag,
      params: PollIdParams,
      body: ClosePollBody,
      answers: shape(pollShape, 'roles'),
    },
    async (tx, { viewer, params: { pollId } }) => {
      await closePoll(tx, requireReadablePost, viewer, pollId)
      return { roots: { polls: [pollId] } }
    },
  )
  write(
    'DELETE',
    '/api/v3/polls/:pollId',
    { summary: 'Delete a poll', tag, params: PollIdParams, answers: { schema: Deleted } },
    async (tx, { viewer, params }) => {
      await deletePoll(tx, requireReadablePost, viewer, params.pollId)
      return { body: { status: 'success', success: true, data: { success: true } } }
    },
  )

  const votes = [
    ['POST', 'Vote, in place of an earlier vote'],
    ['PUT', 'Change a vote; an empty list withdraws it'],
  ] as const
  for (const [method, summary] of votes) {
    write(
      method,
      '/api/v3/polls/:pollId/votes',
      { summary, tag, params: PollIdParams, body: VoteBody, answers: pollShape },
      async (tx, { viewer, params: { pollId }, body: { answerIds } }) => {
        if (method === 'POST' && answerIds.length === 0) fail('badRequest', 'a vote names an answer')
        await setVote(tx, requireReadablePost, viewer, pollId, answerIds)
        return { roots: { polls: [pollId] } }
      },
    )
  }
  read(
    'GET',
    '/api/v3/polls/:pollId/answers/:answerId',
    {
      summary: 'Query who chose an answer',
      tag,
      params: AnswerParams,
      query: QueryVotersQuery,
      answers: pollShape,
      extra: { UsersAnswered: Type.Array(UserAnswered) },
      paged: true,
    },
    async (db, { viewer, params: { pollId, answerId }, query }) => {
      const found = await requireReadablePoll(db, requireReadablePost, viewer, pollId)
      const { rows, paging } = await queryVoters(db, found, answerId, query)
      const UsersAnswered = rows.map(({ userPublicId, answerIds, createdAt }) => ({
        userId: userPublicId,
        pollId,
        answerIds,
        createdAt: iso(createdAt),
      }))
      const users = rows.map((row) => row.userId)
      return { roots: { polls: [pollId], users }, paging, extra: { UsersAnswered } }
    },
  )
}
