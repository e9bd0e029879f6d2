import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { pollShape } from './resource.ts'

export interface PollSubject {
  id: string
  /** The topics of the post it is attached to and of the attached post itself; none while no published post shows it. */
  paths: string[]
}

const form = { shape: pollShape, roots: ({ id }: PollSubject) => ({ polls: [id] }) }

function pollEvent(name: string, realtime: string | null, webhook?: string): EventDefinition<PollSubject> {
  return defineEvent<PollSubject>({
    name,
    audiences: ({ paths }) => paths,
    realtime: realtime === null ? null : { name: realtime, ...form },
    webhooks: webhook ? [{ name: webhook, ...form }] : [],
  })
}

export const pollCreated = pollEvent('poll.created', null, 'poll.didCreate')
export const pollUpdated = pollEvent('poll.updated', 'poll.updated', 'poll.didUpdate')
/** A vote: an update to clients, a name of its own to webhooks. */
export const pollVoted = pollEvent('poll.voted', 'poll.updated', 'poll.didVote')
export const pollDeleted = pollEvent('poll.deleted', 'poll.deleted')

export const pollEvents = [pollCreated, pollUpdated, pollVoted, pollDeleted]
