import { slot, type Resource } from '../../kernel/envelope/resource.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { now } from '../../platform/clock.ts'
import { presentPoll, type PollState, type TimedPollRow } from './present.ts'
import { Poll } from './schema.ts'
import { findChoices, findPollsById } from './store.ts'

/** Polls. Who may see one is decided before it is named: by its post, or by the query for it. */
const pollResource: Resource<TimedPollRow, PollState> = {
  name: 'polls',
  async load(db, ids) {
    const at = now()
    const rows = await findPollsById(db, ids)
    return new Map(
      rows.map((row) => [row.id, { ...row, isClosed: row.closedAt !== null && row.closedAt <= at }]),
    )
  },
  references: (row) => ({ users: [row.userId], files: row.answers.map((answer) => answer.fileId) }),
  async viewerState({ db, viewer }, rows) {
    const choices = await findChoices(db, viewer.id, [...rows.keys()])
    return new Map([...rows.keys()].map((id) => [id, { choices: choices.get(id) ?? [] }]))
  },
}

export const pollSlots = { polls: slot(pollResource, Poll, presentPoll) }
export const pollShape = shape('polls', 'users', 'files')
