import type { Db } from '../../kernel/database.ts'
import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { fill, settingNamesOf, type NotifiableName, type Templates } from '../notification-settings/index.ts'
import { findComings, findStreamFacts, type Coming, type StreamFacts } from './announced-store.ts'
import { shorten, type PushNotice } from './notice.ts'

/**
 * What webhooks are told and no device is: who came into a channel (the first message tells the others), and who is
 * live (the post that shows it did). An operator's own push service may think otherwise.
 */
export async function announcedOnly(
  db: Db,
  events: DispatchedEvent[],
  templates: Templates,
): Promise<PushNotice[]> {
  const coming = events.filter(({ name }) => name === 'channel.created' || name === 'channel.joined')
  const started = events.filter(({ name }) => name === 'video-streaming.didStart')
  const [comings, streams] = await Promise.all([
    findComings(
      db,
      coming.map(({ subject, actorId }) => ({ channelId: (subject as Subject).id, actorId: actorId ?? '' })),
    ),
    findStreamFacts(
      db,
      started.map(({ subject }) => (subject as Subject).id),
    ),
  ])
  return [
    ...coming.flatMap((event) => {
      const facts = comings.get(`${(event.subject as Subject).id} ${event.actorId}`)
      return facts ? comingNotice(event, facts, templates) : []
    }),
    ...started.flatMap((event) => {
      const facts = streams.get((event.subject as Subject).id)
      return facts ? startedNotice(event, facts, templates) : []
    }),
  ]
}

interface Subject {
  id: string
  userIds?: string[]
}

function comingNotice(event: DispatchedEvent, facts: Coming, templates: Templates): PushNotice {
  const { id, userIds = [] } = event.subject as Subject
  const isNew = event.name === 'channel.created'
  const isConversation = facts.channelType === 'conversation'
  const name = !isNew ? 'channel.joined' : isConversation ? 'conversation-channel.joined' : 'channel.created'
  return {
    ...told(event, name, facts, templates, { channelName: facts.channelName || facts.name }),
    audience: isNew ? { type: 'users', userIds } : { type: 'channel', id },
    target: { type: 'channel', id },
    postId: null,
    data: { channelId: facts.channelPublicId },
  }
}

function startedNotice(event: DispatchedEvent, facts: StreamFacts, templates: Templates): PushNotice {
  const { communityId, userId, postId } = facts
  return {
    ...told(event, 'video-streaming.didStart', facts, templates, { text: shorten(facts.title) }),
    audience:
      communityId === null ? { type: 'followers', id: userId } : { type: 'community', id: communityId },
    target: communityId === null ? null : { type: 'community', id: communityId },
    postId,
    data: { actorId: facts.publicId },
  }
}

interface Actor {
  publicId: string
  name: string
  roles: string[]
}

function told(
  { id, actorId, createdAt }: DispatchedEvent,
  name: NotifiableName,
  actor: Actor,
  templates: Templates,
  parameters: Record<string, string>,
) {
  const { isOn, title, body } = templates(name)
  const filled = { actorName: actor.name, ...parameters }
  return {
    id: `${id}:${name}`,
    eventId: id,
    eventName: name,
    isOn,
    actorId,
    withoutUserIds: [],
    settingNames: settingNamesOf(name),
    actorRoles: actor.roles,
    objectId: null,
    messageFeedId: null,
    segment: null,
    title: shorten(fill(title, filled), 100),
    body: shorten(fill(body, filled)),
    collapseKey: name,
    createdAt,
  }
}
