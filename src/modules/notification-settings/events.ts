export const modules = ['chat', 'social', 'video-streaming'] as const
export type ModuleName = (typeof modules)[number]

/** Where an event can be switched on its own, beside the network. */
type Level = 'channel' | 'community'

interface NotifiableEvent {
  module: ModuleName
  levels: readonly Level[]
  /** `{{parameter}}` stands for its value. */
  title: string
  body: string
  parameters: readonly string[]
  /** Events it is a case of: it is off when one of them is. */
  isCaseOf?: readonly string[]
}

const chat = (body: string, more: Partial<NotifiableEvent> = {}): NotifiableEvent => ({
  module: 'chat',
  levels: ['channel'],
  title: '{{channelName}}',
  body,
  parameters: ['actorName', 'channelName', 'text'],
  ...more,
})
const conversation = (body: string): NotifiableEvent =>
  chat(body, { title: '{{actorName}}', isCaseOf: ['conversation-message.created', 'message.created'] })
const inCommunity = (body: string, more: Partial<NotifiableEvent> = {}): NotifiableEvent => ({
  module: 'social',
  levels: ['community'],
  title: '{{communityName}}',
  body,
  parameters: ['actorName', 'communityName', 'text'],
  ...more,
})
const personal = (body: string): NotifiableEvent =>
  inCommunity(body, { levels: [], title: '{{actorName}}', parameters: ['actorName', 'text'] })

/** Everything that can be pushed, by the names of the interface, with the texts a fresh network has. */
export const notifiableEvents = {
  'channel.created': chat('{{actorName}} created the channel.', { levels: [] }),
  'channel.joined': chat('{{actorName}} joined the channel.'),
  'conversation-channel.joined': chat('{{actorName}} started a conversation with you.', {
    levels: [],
    title: '{{actorName}}',
  }),
  'text-mention-message.created': chat('{{actorName}} mentioned you: {{text}}'),
  'message.created': chat('{{actorName}}: {{text}}'),
  'conversation-message.created': chat('{{actorName}} sent you a message.', {
    title: '{{actorName}}',
    isCaseOf: ['message.created'],
  }),
  'conversation-text-message.created': conversation('{{text}}'),
  'conversation-image-message.created': conversation('{{actorName}} sent a picture.'),
  'conversation-file-message.created': conversation('{{actorName}} sent a file.'),
  'post.created': inCommunity('{{actorName}} posted: {{text}}'),
  'post.approved': inCommunity('Your post was approved.', { levels: [] }),
  'post.need-reviewing': inCommunity('A post of {{actorName}} waits for review.'),
  'text-mention-post.created': inCommunity('{{actorName}} mentioned you in a post.'),
  'text-mention-user-feed-post.created': personal('{{actorName}} mentioned you in a post.'),
  'video-streaming-post.created': inCommunity('{{actorName}} shared a live stream.', {
    isCaseOf: ['post.created'],
  }),
  'post.reacted': inCommunity('{{actorName}} reacted to your post.', { title: '{{actorName}}' }),
  'comment.created': inCommunity('{{actorName}} commented on your post: {{text}}', {
    title: '{{actorName}}',
  }),
  'text-mention-comment.created': inCommunity('{{actorName}} mentioned you in a comment: {{text}}'),
  'text-mention-user-feed-comment.created': personal('{{actorName}} mentioned you in a comment: {{text}}'),
  'comment.replied': inCommunity('{{actorName}} replied to your comment: {{text}}', {
    title: '{{actorName}}',
  }),
  'text-mention-comment.replied': inCommunity('{{actorName}} mentioned you in a reply: {{text}}'),
  'text-mention-user-feed-comment.replied': personal('{{actorName}} mentioned you in a reply: {{text}}'),
  'comment.reacted': inCommunity('{{actorName}} reacted to your comment.', { title: '{{actorName}}' }),
  'follow.created': personal('{{actorName}} started following you.'),
  'follow.requested': personal('{{actorName}} requested to follow you.'),
  'follow.accepted': personal('{{actorName}} accepted your follow request.'),
  'community.roleAdded': inCommunity('You were given a role.', { levels: [] }),
  'community.updated': inCommunity('The community was changed.', { levels: [] }),
  'story.created': inCommunity('{{actorName}} added a story.'),
  'story-comment.created': inCommunity('{{actorName}} commented on your story: {{text}}'),
  'video-streaming.didStart': {
    module: 'video-streaming',
    levels: [],
    title: '{{actorName}}',
    body: '{{actorName}} is live.',
    parameters: ['actorName', 'text'],
  },
} as const satisfies Record<string, NotifiableEvent>

export type NotifiableName = keyof typeof notifiableEvents
export const notifiableNames = Object.keys(notifiableEvents) as NotifiableName[]

/** What can be said of one event. */
export function notifiable(name: NotifiableName): NotifiableEvent {
  return notifiableEvents[name]
}

/** The events that can be switched at a level, and below which module each is. */
export function eventsOf(level: Level): NotifiableName[] {
  return notifiableNames.filter((name) => notifiable(name).levels.includes(level))
}

/** A template with its parameters filled in; unknown ones stay out. */
export function fill(template: string, parameters: Record<string, string>): string {
  return template.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(parameters, name) ? parameters[name]! : '',
  )
}
