import type { Db } from '../../kernel/database.ts'
import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { fill, settingNamesOf, type NotifiableName, type Templates } from '../notification-settings/index.ts'
import { readNotices, type Notice, type NoticeKind } from '../notices/index.ts'
import { actorKey, findActorFacts, findAuthors, findStoryComments, findTexts } from './facts-store.ts'
import { shorten, type PushNotice } from './notice.ts'

// By the kind of notice: its name in communities, and elsewhere. What has no name in the interface is not pushed.
const names: Partial<Record<NoticeKind, [inCommunity: NotifiableName, elsewhere: NotifiableName]>> = {
  post: ['post.created', 'post.created'],
  poll: ['post.created', 'post.created'],
  live_stream: ['video-streaming-post.created', 'video-streaming-post.created'],
  comment: ['comment.created', 'comment.created'],
  reply: ['comment.replied', 'comment.replied'],
  mention_in_post: ['text-mention-post.created', 'text-mention-user-feed-post.created'],
  mention_in_poll: ['text-mention-post.created', 'text-mention-user-feed-post.created'],
  mention_in_comment: ['text-mention-comment.created', 'text-mention-user-feed-comment.created'],
  mention_in_reply: ['text-mention-comment.replied', 'text-mention-user-feed-comment.replied'],
  reaction_on_post: ['post.reacted', 'post.reacted'],
  reaction_on_comment: ['comment.reacted', 'comment.reacted'],
  reaction_on_reply: ['comment.reacted', 'comment.reacted'],
  follow: ['follow.created', 'follow.created'],
  follow_request: ['follow.requested', 'follow.requested'],
  follow_accepted: ['follow.accepted', 'follow.accepted'],
}

/** What may be taken back, with a notice of it that waits. */
const removable = ['post', 'comment', 'story']

interface Named {
  notice: Omit<Notice, 'kind' | 'act'> & { kind: string; act: { type: string; id: string } }
  name: NotifiableName
}

/** What is pushed of posts, comments, reactions and follows. */
export async function socialPushes(
  db: Db,
  events: DispatchedEvent[],
  templates: Templates,
): Promise<PushNotice[]> {
  const told = await readNotices(db, events)
  const mentioned = new Map<string, string[]>()
  for (const { kind, eventId, audience } of told) {
    if (kind.startsWith('mention')) {
      mentioned.set(eventId, [...(mentioned.get(eventId) ?? []), audience.id])
    }
  }
  const pushed: Named[] = [...told.flatMap(nameOf), ...(await moreOf(db, events))]
  const communityOf = ({ target }: Named['notice']) => (target.type === 'community' ? target.id : null)
  const idsOf = (type: string) =>
    pushed.filter(({ notice }) => notice.act.type === type).map(({ notice }) => notice.act.id)
  const [actors, texts] = await Promise.all([
    findActorFacts(
      db,
      pushed.map(({ notice }) => ({ actorId: notice.actorId, communityId: communityOf(notice) })),
    ),
    findTexts(db, idsOf('post'), idsOf('comment')),
  ])
  return pushed.flatMap(({ notice, name }) => {
    const template = templates(name)
    const actor = actors.get(actorKey(notice.actorId, communityOf(notice)))
    if (!actor) return []
    const { eventId, kind, audience, act, reference } = notice
    const parameters = {
      actorName: actor.name || actor.publicId,
      communityName: actor.communityName ?? '',
      text: shorten(texts.get(act.id) ?? ''),
    }
    return {
      id: `${eventId}:${kind}:${audience.id}`,
      eventId,
      eventName: name,
      isOn: template.isOn,
      actorId: notice.actorId,
      audience:
        audience.type === 'user'
          ? { type: 'users', userIds: [audience.id] }
          : { type: 'community', id: audience.id },
      withoutUserIds: audience.type === 'community' ? (mentioned.get(eventId) ?? []) : [],
      target: notice.target.type === 'community' ? { type: 'community', id: notice.target.id } : null,
      settingNames: settingNamesOf(name),
      actorRoles: actor.roles,
      objectId: removable.includes(act.type) ? act.id : null,
      postId: reference?.type === 'post' ? reference.id : act.type === 'post' ? act.id : null,
      messageFeedId: null,
      segment: null,
      title: shorten(fill(template.title, parameters), 100),
      body: shorten(fill(template.body, parameters)),
      data: dataOf(name, notice, actor.publicId),
      collapseKey: `${kind}:${notice.subjectId}`.slice(0, 64),
      createdAt: notice.occurredAt,
    }
  })
}

function nameOf(notice: Notice): Named[] {
  const pair = names[notice.kind]
  return pair ? [{ notice, name: pair[notice.target.type === 'community' ? 0 : 1] }] : []
}

/** What is pushed but in no tray. */
async function moreOf(db: Db, events: DispatchedEvent[]): Promise<Named[]> {
  const approved = events.filter(({ name }) => name === 'post.approved')
  const commented = events.filter(({ name }) => name === 'comment.created')
  const idOf = ({ subject }: DispatchedEvent) => (subject as Subject).id
  const [authors, onStories] = await Promise.all([
    findAuthors(db, approved.map(idOf)),
    findStoryComments(db, commented.map(idOf)),
  ])
  return events.flatMap((event) => {
    const { id, to, targetType, targetId = '', userIds = [] } = event.subject as Subject
    const here = { type: 'post', id } as const
    const post = { community: targetId, act: here, reference: here }
    switch (event.name) {
      case 'post.created':
        return toPeople(event, 'post.need-reviewing', to ?? [], post)
      case 'post.approved':
        return toPeople(event, 'post.approved', [authors.get(id) ?? null], post)
      case 'community.roleAdded':
        return toPeople(event, 'community.roleAdded', userIds, {
          community: id,
          act: { type: 'role', id },
          reference: null,
        })
      case 'comment.created': {
        const comment = onStories.get(id)
        if (!comment) return []
        const { creatorId, communityId: community, storyId, commentId } = comment
        const act = { type: 'comment', id } as const
        const opened = { reference: { type: 'story', id: storyId } as const, actionReferenceId: commentId }
        return toPeople(event, 'story-comment.created', [creatorId], { community, act, ...opened })
      }
      case 'story.created': {
        const audience = { type: 'community', id: targetId } as const
        const story = { type: 'story', id } as const
        const told = { community: targetId, act: story, reference: story }
        return targetType === 'community' ? [more(event, 'story.created', audience, told)] : []
      }
      default:
        return []
    }
  })
}

interface Subject {
  id: string
  targetType?: string
  targetId?: string
  to?: string[]
  userIds?: string[]
}

interface Told {
  community: string
  act: { type: 'post' | 'story' | 'role' | 'comment'; id: string }
  /** What a tap opens; nothing of a role. */
  reference: Notice['reference']
  actionReferenceId?: string
}

function toPeople(
  event: DispatchedEvent,
  name: NotifiableName,
  userIds: (string | null)[],
  told: Told,
): Named[] {
  return userIds
    .filter((userId) => userId !== null && userId !== event.actorId)
    .map((userId) => more(event, name, { type: 'user', id: userId! }, told))
}

function more(
  { id: eventId, actorId, createdAt }: DispatchedEvent,
  name: NotifiableName,
  audience: Notice['audience'],
  { community, act, reference, actionReferenceId }: Told,
): Named {
  const notice = {
    kind: name,
    eventId,
    // Of what nobody did there is nobody to be told about, and such a notice is dropped.
    actorId: actorId ?? '',
    occurredAt: createdAt,
    day: createdAt,
    audience,
    target: { type: 'community', id: community },
    subjectId: act.id,
    act,
    reference,
    actionReferenceId: actionReferenceId ?? reference?.id ?? null,
    parentId: null,
    rootId: null,
  }
  return { name, notice }
}

function dataOf(name: string, notice: Named['notice'], actorId: string): Record<string, string> {
  const { target, act, reference, actionReferenceId, parentId } = notice
  const isComment = act.type === 'comment' || (parentId ?? '') !== ''
  return {
    eventName: name,
    actorId,
    ...(target.type === 'community' && { communityId: target.id }),
    ...(reference && { referenceType: reference.type, referenceId: reference.id }),
    ...(actionReferenceId !== null && { actionReferenceId }),
    ...(isComment && act.type === 'comment' && { commentId: actionReferenceId ?? act.id }),
    ...(parentId !== null && { parentId }),
  }
}
