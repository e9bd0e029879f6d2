import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Nullable, OneOf, StringList, Text, Timestamp } from '../../kernel/schema.ts'

export const answerTypes = ['single', 'multiple'] as const
export const answerDataTypes = ['text', 'image'] as const
export const pollStatuses = ['open', 'closed'] as const
/** Ten years: a poll that stays open longer is one that never closes. */
const maxClosedIn = 10 * 365 * 24 * 60 * 60 * 1000

const PollAnswer = Type.Object({
  id: Type.String(),
  dataType: OneOf(answerDataTypes),
  data: Type.String(),
  fileId: Type.Optional(Type.String()),
  voteCount: Type.Integer(),
  // Absent where nobody in particular asks: in events.
  isVotedByUser: Type.Optional(Type.Boolean()),
})

export const Poll = Type.Object({
  pollId: Type.String(),
  userId: Type.String(),
  userInternalId: Type.String(),
  userPublicId: Type.String(),
  title: Nullable(Type.String()),
  question: Type.String(),
  answerType: OneOf(answerTypes),
  answers: Type.Array(PollAnswer),
  status: OneOf(pollStatuses),
  closedIn: Nullable(Type.Integer()),
  /** When it closes or was closed; null for a poll that stays open until someone closes it. */
  closedAt: Nullable(Timestamp),
  isVoted: Type.Optional(Type.Boolean()),
  isDeleted: Type.Boolean(),
  deletedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Poll = Static<typeof Poll>

const NewAnswer = Type.Object({
  dataType: Type.Optional(OneOf(answerDataTypes, { default: 'text' })),
  data: Type.Optional(Nullable(Text(200))),
  fileId: Type.Optional(Nullable(Text(50, 1))),
})
export type NewAnswer = Static<typeof NewAnswer>

export const CreatePollBody = Type.Object({
  question: Type.Optional(Text(500, 1)),
  /** An older name of `question`. */
  text: Type.Optional(Text(500, 1)),
  title: Type.Optional(Nullable(Text(500))),
  answers: Type.Array(NewAnswer, { minItems: 2, maxItems: 10 }),
  answerType: Type.Optional(OneOf(answerTypes, { default: 'single' })),
  closedIn: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: maxClosedIn }))),
})
export type CreatePollBody = Static<typeof CreatePollBody>

export const PollIdParams = Type.Object({ pollId: Text(900, 1) })
export const AnswerParams = Type.Object({ pollId: Text(900, 1), answerId: Text(900, 1) })
export const ClosePollBody = Type.Object({ status: OneOf(['closed']), text: Type.Optional(Type.String()) })
export const VoteBody = Type.Object({ answerIds: Type.Array(Text(50, 1), { maxItems: 100 }) })

export const QueryVotersQuery = Type.Object({
  ...PageQuery.properties,
  sortBy: Type.Optional(OneOf(['lastCreated', 'firstCreated'], { default: 'lastCreated' })),
})
export type QueryVotersQuery = Static<typeof QueryVotersQuery>

/** Who chose an answer, with everything they chose in the poll. */
export const UserAnswered = Type.Object({
  userId: Type.String(),
  pollId: Type.String(),
  answerIds: StringList,
  createdAt: Timestamp,
})
export type UserAnswered = Static<typeof UserAnswered>
