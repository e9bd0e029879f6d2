import type { Db } from '../database.ts'
import type { DispatchedEvent } from './dispatcher.ts'
import type { EventForm, WebhookForm } from './event.ts'

/** What a push notification says, and to whom. */
export interface Notification {
  title: string
  body: string
  /** Public user ids; of a broadcast, the channel, the community or the person whose followers it is for. */
  targetIds: string[]
  isBroadcast: boolean
  /** Whether anybody is to be notified: people, admins and places can say no. */
  notify: boolean
}

/** Works out the notifications that events give rise to, by `notificationKey`. */
export type Announce = (db: Db, events: DispatchedEvent[]) => Promise<Map<string, Notification>>

export function notificationKey(eventId: string, name: string): string {
  return `${eventId} ${name}`
}

/** The webhook twin of a push notification: what it is of. Whether, what and whom it tells comes from `Announce`. */
export function notificationForm<Subject>(
  name: string,
  envelope: Pick<EventForm<Subject>, 'shape' | 'roots'>,
): WebhookForm<Subject> {
  return { ...envelope, name: `push-notification/${name}`, notification: name }
}
