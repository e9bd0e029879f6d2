import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { eventNewsShape, responseShape } from './resource.ts'

export interface EventSubject {
  id: string
  /** Where it is told: at the community or page it belongs to. */
  topic: string
}

export interface ReminderSubject extends EventSubject {
  /** The start it reminds of, in ISO form: of an event that is moved people are reminded anew. */
  startTime: string
}

export interface ResponseSubject extends EventSubject {
  /** Of the answer. */
  responseId: string
}

const keysOfOthers = { communities: [], posts: [], rooms: [] }

function eventEvent<S extends EventSubject = EventSubject>(name: string): EventDefinition<S> {
  return defineEvent<S>({
    name,
    audiences: ({ topic }) => [topic],
    realtime: {
      shape: eventNewsShape,
      roots: ({ id }) => ({ events: [id] }),
      extra: () => keysOfOthers,
    },
  })
}

function responseEvent(name: string): EventDefinition<ResponseSubject> {
  return defineEvent<ResponseSubject>({
    name,
    audiences: ({ topic }) => [topic],
    realtime: { shape: responseShape, roots: ({ responseId }) => ({ eventResponses: [responseId] }) },
  })
}

export const eventCreated = eventEvent('event.created')
export const eventUpdated = eventEvent('event.updated')
export const eventDeleted = eventEvent('event.deleted')
export const eventCancelled = eventEvent('event.cancelled')
/** Its time has come: no client listens, the notification tray tells of it. */
export const eventStarted = eventEvent('event.started')
/** It starts soon; told likewise. */
export const eventReminder = eventEvent<ReminderSubject>('event.reminder')
export const rsvpCreated = responseEvent('event.rsvp.created')
export const rsvpUpdated = responseEvent('event.rsvp.updated')

export const eventEvents = [
  eventCreated,
  eventUpdated,
  eventDeleted,
  eventCancelled,
  eventStarted,
  eventReminder,
  rsvpCreated,
  rsvpUpdated,
]
