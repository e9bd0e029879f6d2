import type { NotifiableName } from '../notification-settings/index.ts'

/** One thing to push, as it is stored: to whom is worked out when it is spread over devices. */
export interface PushNotice {
  /** The same whenever its event is told again. */
  id: string
  eventId: string
  eventName: NotifiableName
  /** Whether the admins let it be pushed at all. */
  isOn: boolean
  actorId: string | null
  /** Those who follow somebody are told by webhooks only. */
  audience: { type: 'users'; userIds: string[] } | { type: 'community' | 'channel' | 'followers'; id: string }
  withoutUserIds: string[]
  /** Whose settings and members count. */
  target: { type: 'community' | 'channel'; id: string } | null
  settingNames: string[]
  actorRoles: string[]
  /** What must not be gone when it is pushed. */
  objectId: string | null
  postId: string | null
  /** Of a message: who has read so far is not told. */
  messageFeedId: string | null
  segment: number | null
  title: string
  body: string
  data: Record<string, string>
  collapseKey: string
  createdAt: Date
}

const shownText = 200

/** A text as a notification shows it: on one line, cut between characters. */
export function shorten(text: string, length = shownText): string {
  const characters = [...text.replaceAll(/\s+/g, ' ').trim()]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('')
}
