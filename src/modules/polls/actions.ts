import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { enqueue } from '../../kernel/jobs.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { requireMember } from '../communities/index.ts'
import { requireFiles } from '../files/index.ts'
import { requireAllowedText } from '../moderation/index.ts'
import { closingPolls } from './closing.ts'
import { pollCreated, pollDeleted, pollUpdated, pollVoted } from './events.ts'
import { canManagePoll } from './policy.ts'
import type { RequireReadablePost } from './post.ts'
import { requireReadablePoll, type ReadablePoll } from './queries.ts'
import { subjectOf } from './subject.ts'
import type { CreatePollBody, NewAnswer } from './schema.ts'
import {
  changeVotes,
  findChoices,
  findPollPost,
  findPollsById,
  insertPoll,
  lockPoll,
  updatePoll,
} from './store.ts'

/** Makes a poll, to be shown by a post. Answers its id. */
export async function createPoll(tx: Tx, viewer: Viewer, body: CreatePollBody): Promise<string> {
  const { answers, answerType = 'single', title = null, closedIn } = body
  const question = body.question ?? body.text ?? fail('invalid', 'body must have a question')
  const contents = await readAnswers(tx, answers)
  await requireAllowedText(tx, viewer, { texts: [title, question, ...contents.map(({ data }) => data)] })
  const id = newId()
  const at = now()
  // None, and 0 as some clients say it: it stays open.
  const lasts = closedIn || null
  await insertPoll(
    tx,
    {
      id,
      userId: viewer.id,
      title,
      question,
      answerType,
      closedIn: lasts,
      closedAt: lasts === null ? null : new Date(at.getTime() + lasts),
      createdAt: at,
      updatedAt: at,
    },
    contents.map((content, position) => ({ id: newId(), pollId: id, position, ...content })),
  )
  if (lasts !== null) {
    const runAt = new Date(at.getTime() + lasts)
    await enqueue(tx, closingPolls, undefined, { runAt, key: `${closingPolls.name} ${id}` })
  }
  await emit(tx, pollCreated, { actorId: viewer.id, subject: { id, paths: [] } })
  return id
}

/** Makes the viewer's choice of a poll these answers, whatever it was before; none withdraws the vote. */
export async function setVote(
  tx: Tx,
  requireReadablePost: RequireReadablePost,
  viewer: Viewer,
  id: string,
  answerIds: string[],
): Promise<void> {
  const found = await lockReadablePoll(tx, requireReadablePost, viewer, id)
  const { poll, post } = found
  if (post?.isDeleted) fail('notFound')
  if (post?.targetType === 'community') await requireMember(tx, viewer, post.targetId)
  const at = now()
  if (poll.closedAt !== null && poll.closedAt <= at) fail('badRequest', 'the poll is closed')
  const chosen = new Set(answerIds)
  if (poll.answerType === 'single' && chosen.size > 1) fail('badRequest', 'only one answer may be chosen')
  const known = new Set(poll.answers.map((answer) => answer.id))
  for (const answerId of chosen) {
    if (!known.has(answerId)) fail('badRequest', `answer ${answerId} is not one of the poll's`)
  }
  const before = (await findChoices(tx, viewer.id, [id])).get(id) ?? []
  const added = [...chosen].filter((answerId) => !before.includes(answerId))
  const removed = before.filter((answerId) => !chosen.has(answerId))
  if (added.length === 0 && removed.length === 0) return
  await changeVotes(tx, { pollId: id, userId: viewer.id, at }, { added, removed })
  await updatePoll(tx, id, { updatedAt: at })
  await emit(tx, chosen.size > 0 ? pollVoted : pollUpdated, {
    actorId: viewer.id,
    subject: subjectOf(found),
  })
}

/** Closes a poll for good; closing it again changes nothing. */
export async function closePoll(
  tx: Tx,
  requireReadablePost: RequireReadablePost,
  viewer: Viewer,
  id: string,
): Promise<void> {
  const found = await lockReadablePoll(tx, requireReadablePost, viewer, id)
  if (!canManagePoll(viewer, found.poll)) fail('forbidden')
  const at = now()
  if (found.poll.closedAt !== null && found.poll.closedAt <= at) return
  await updatePoll(tx, id, { closedAt: at, isClosingTold: true, updatedAt: at })
  await emit(tx, pollUpdated, { actorId: viewer.id, subject: subjectOf(found) })
}

/** Soft-deletes a poll; the post that shows it stays. */
export async function deletePoll(
  tx: Tx,
  requireReadablePost: RequireReadablePost,
  viewer: Viewer,
  id: string,
): Promise<void> {
  const found = await lockReadablePoll(tx, requireReadablePost, viewer, id)
  if (!canManagePoll(viewer, found.poll)) fail('forbidden')
  const at = now()
  await updatePoll(tx, id, { isDeleted: true, deletedAt: at, updatedAt: at })
  await emit(tx, pollDeleted, { actorId: viewer.id, subject: subjectOf(found) })
}

/**
 * Fails unless this is a living poll of the viewer's that no other living post shows: `notFound`, `conflict`. The
 * poll is locked, so of two posts at once the second fails.
 */
export async function requireOwnPoll(tx: Tx, viewer: Viewer, id: string): Promise<void> {
  const [poll] = (await lockPoll(tx, id)) ? await findPollsById(tx, [id]) : []
  if (!poll || poll.isDeleted || poll.userId !== viewer.id) return fail('notFound', `poll ${id}`)
  const post = await findPollPost(tx, id)
  if (post && !post.isDeleted) fail('conflict', `poll ${id} is shown by another post`)
}

// Locked before it is read: what is judged is what is changed.
async function lockReadablePoll(
  tx: Tx,
  requireReadablePost: RequireReadablePost,
  viewer: Viewer,
  id: string,
): Promise<ReadablePoll> {
  if (!(await lockPoll(tx, id))) fail('notFound')
  const found = await requireReadablePoll(tx, requireReadablePost, viewer, id)
  return found.poll.isDeleted ? fail('notFound') : found
}

async function readAnswers(tx: Tx, answers: NewAnswer[]) {
  const pictures = answers.filter(({ dataType }) => dataType === 'image')
  await requireFiles(
    tx,
    pictures.flatMap(({ fileId }) => fileId ?? []),
    ['image'],
  )
  return answers.map(({ dataType = 'text', data, fileId }, i) => {
    if (dataType === 'text') {
      return data ? { dataType, data, fileId: null } : fail('invalid', `answer ${i} has no text`)
    }
    if (fileId == null) return fail('invalid', `answer ${i} has no fileId`)
    return { dataType, data: data ?? '', fileId }
  })
}
