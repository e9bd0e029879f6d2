import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import type { Notice } from './notice.ts'

/** How old something may be when it is told of as new, in ms: what is older was brought from elsewhere. */
const newFor = 86_400_000

/** The parts of a notice that its event says. */
export function happened({ id, actorId, createdAt }: DispatchedEvent) {
  return { eventId: id, actorId: actorId!, occurredAt: createdAt, day: createdAt } satisfies Partial<Notice>
}

/** The parts that most notices do without. */
export const plain = { reference: null, actionReferenceId: null, parentId: null, rootId: null } as const

export function isImported(event: DispatchedEvent, createdAt: Date): boolean {
  return event.createdAt.getTime() - createdAt.getTime() > newFor
}

/** Who of some people is to be told: not who did it. */
export function others(event: DispatchedEvent, userIds: readonly (string | null)[]): string[] {
  return [...new Set(userIds)].filter((userId) => userId !== null && userId !== event.actorId) as string[]
}

/** The reaction that an event is about. */
export function reactionIdOf({ subject }: DispatchedEvent): string | undefined {
  return (subject as { extra?: { reactor?: { reactionId?: string } } }).extra?.reactor?.reactionId
}
