import type { Assemble, Envelope } from '../envelope/assembler.ts'
import type { Shape } from '../envelope/shape.ts'
import type { Db } from '../database.ts'
import type { DispatchedEvent } from './dispatcher.ts'
import type { EventForm } from './event.ts'

/** An event and the form it takes on one way out. */
export interface FormedEvent {
  event: Pick<DispatchedEvent, 'subject'>
  form: EventForm<unknown>
}

/** The `data` of each event, in order. One load per shape for the whole batch; viewer null, so nothing personal. */
export async function assembleEvents(
  assemble: Assemble,
  db: Db,
  events: FormedEvent[],
): Promise<Record<string, unknown>[]> {
  const data: Record<string, unknown>[] = events.map(() => ({}))
  const byShape = new Map<Shape, number[]>()
  events.forEach(({ form }, i) => {
    if (form.shape) byShape.set(form.shape, [...(byShape.get(form.shape) ?? []), i])
  })
  for (const [shape, indexes] of byShape) {
    const roots = indexes.map((i) => events[i]!.form.roots?.(events[i]!.event.subject) ?? {})
    const envelopes: Envelope[] = await assemble({ db, viewer: null }, shape, roots)
    indexes.forEach((i, n) => (data[i] = envelopes[n]!))
  }
  return events.map(({ event, form }, i) => ({ ...data[i], ...form.extra?.(event.subject) }))
}
