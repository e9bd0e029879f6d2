import type { Db } from '../../kernel/database.ts'
import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { fill, settingNamesOf, type NotifiableName, type Templates } from '../notification-settings/index.ts'
import { findMessageFacts, type MessageFacts } from './facts-store.ts'
import { shorten, type PushNotice } from './notice.ts'

/** What is pushed of messages: to whom they mention by that name, to the other members by another. */
export async function chatPushes(
  db: Db,
  events: DispatchedEvent[],
  templates: Templates,
): Promise<PushNotice[]> {
  const created = events.filter(({ name }) => name === 'message.created')
  const ids = created.map(({ subject }) => (subject as { id: string }).id)
  const messages = await findMessageFacts(db, ids)
  return created.flatMap((event) => {
    const message = messages.get((event.subject as { id: string }).id)
    if (!message) return []
    const { mentionedUserIds, mentionsChannel } = message
    const mentioned = mentionedUserIds.filter((userId) => userId !== message.creatorId)
    const pushes: PushNotice[] = []
    if (mentioned.length > 0 && !mentionsChannel) {
      const audience = { type: 'users', userIds: mentioned } as const
      pushes.push(push(event, message, 'text-mention-message.created', templates, audience))
    }
    const name = mentionsChannel ? 'text-mention-message.created' : nameOf(message)
    const audience = { type: 'channel', id: message.channelId } as const
    pushes.push(push(event, message, name, templates, audience, mentionsChannel ? [] : mentioned))
    return pushes
  })
}

function nameOf({ channelType, dataType }: MessageFacts): NotifiableName {
  if (channelType !== 'conversation') return 'message.created'
  switch (dataType) {
    case 'text':
    case 'image':
    case 'file':
      return `conversation-${dataType}-message.created`
    default:
      return 'conversation-message.created'
  }
}

function push(
  event: DispatchedEvent,
  message: MessageFacts,
  name: NotifiableName,
  templates: Templates,
  audience: PushNotice['audience'],
  withoutUserIds: string[] = [],
): PushNotice {
  const template = templates(name)
  const actorName = message.creatorName || message.creatorPublicId
  const parameters = {
    actorName,
    channelName: message.channelName || actorName,
    text: shorten(message.text || described[message.dataType] || ''),
  }
  return {
    id: `${event.id}:${audience.type}`,
    eventId: event.id,
    eventName: name,
    isOn: template.isOn && !message.isSilent,
    actorId: message.creatorId,
    audience,
    withoutUserIds,
    target: { type: 'channel', id: message.channelId },
    settingNames: settingNamesOf(name),
    actorRoles: message.creatorRoles,
    objectId: message.id,
    postId: null,
    messageFeedId: message.messageFeedId,
    segment: message.segment,
    title: shorten(fill(template.title, parameters), 100),
    body: shorten(fill(template.body, parameters)),
    data: {
      eventName: name,
      actorId: message.creatorPublicId,
      channelId: message.channelPublicId,
      subChannelId: message.messageFeedId,
      messageId: message.messageId,
    },
    collapseKey: `channel:${message.channelId}`,
    createdAt: event.createdAt,
  }
}

/** What stands for a message without words. */
const described: Record<string, string> = {
  image: 'sent a picture',
  file: 'sent a file',
  video: 'sent a video',
  audio: 'sent a voice message',
  custom: 'sent a message',
  imagemap: 'sent a picture',
}
