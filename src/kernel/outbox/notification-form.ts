import type { EventForm, WebhookForm } from './event.ts'

/** What a push notification says, and to whom. */
export interface Notification {
  title: string
  body: string
  /** Public user ids; for a broadcast, the channel or community whose members it is for. */
  targetIds: string[]
  isBroadcast?: boolean
}

type Data = Record<string, unknown[]>

/**
 * The webhook twin of a push notification. `tell` makes it of the assembled data; null when nobody is to be notified,
 * and then there is no webhook either.
 */
export function notificationForm<Subject>(
  name: string,
  envelope: Pick<EventForm<Subject>, 'shape' | 'roots'>,
  tell: (data: Data, subject: Subject) => Notification | null,
): WebhookForm<Subject> {
  return {
    ...envelope,
    name: `push-notification/${name}`,
    isNotification: true,
    isTold(data, subject) {
      const notification = tell(data as Data, subject)
      return notification !== null && notification.targetIds.length > 0
    },
    reshape: (data, subject) => ({
      ...data,
      eventName: name,
      isBroadcast: false,
      notify: true,
      ...tell(data as Data, subject),
    }),
  }
}

interface NamedUser {
  userId: string
  _id: string
  displayName: string | null
}

/** What a user is called in a notification; the id may be the public or the internal one. */
export function displayNameIn({ users = [] }: Data, id: string | undefined): string {
  const user = (users as NamedUser[]).find(({ userId, _id }) => userId === id || _id === id)
  return user?.displayName || user?.userId || 'Someone'
}

const maxTextLength = 200

/** The text of something written, as much of it as a notification shows. */
export function textIn(data: object | undefined): string {
  const { text } = (data ?? {}) as { text?: unknown }
  if (typeof text !== 'string') return ''
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1).toWellFormed()}…` : text
}
