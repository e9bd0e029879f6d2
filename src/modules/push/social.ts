import type { Db } from '../../kernel/database.ts'
import type { DispatchedEvent } from '../../kernel/outbox/dispatcher.ts'
import { fill, settingNamesOf, type NotifiableName } from '../notification-settings/index.ts'
import { readNotices, type Notice, type NoticeKind } from '../notices/index.ts'
import { actorKey, findActorFacts, findAuthors, findTexts } from './facts-store.ts'
import { shorten, type PushNotice } from './notice.ts'

export type Templates = (name: NotifiableName) => { title: string; body: string } | null

// By the kind of notice: its name in communities, and elsewhere. What has no name in the interface is not pushed.
const names: Partial<Record<NoticeKind, [inCommunity: NotifiableName, elsewhere: NotifiableName]>> = {
  post: ['post.created', 'post.created'],
  poll: ['post.created', 'post.created'],
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

interface ReviewSubject {
  id: string
  targetId: string
  to?: string[]
}

interface Named {
  notice: Omit<Notice, 'kind'> & { kind: string }
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
  const pushed: Named[] = [...told.flatMap(nameOf), ...(await reviewsOf(db, events))]
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
    if (!template || !actor) return []
    const { eventId, kind, audience, act, reference } = notice
    const parameters = {
      actorName: actor.name || actor.publicId,
      communityName: actor.communityName ?? '',
      text: shorten(texts.get(act.id) ?? ''),
    }
    return {
      id: `${eventId}:${kind}:${audience.id}`,
      eventName: name,
      actorId: notice.actorId,
      audience:
        audience.type === 'user'
          ? { type: 'users', userIds: [audience.id] }
          : { type: 'community', id: audience.id },
      withoutUserIds: audience.type === 'community' ? (mentioned.get(eventId) ?? []) : [],
      target: notice.target.type === 'community' ? { type: 'community', id: notice.target.id } : null,
      settingNames: settingNamesOf(name),
      actorRoles: actor.roles,
      objectId: act.type === 'post' || act.type === 'comment' ? act.id : null,
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

/** Reviewers hear of what waits for them, and authors that it was published. */
async function reviewsOf(db: Db, events: DispatchedEvent[]): Promise<Named[]> {
  const approved = events.filter(({ name }) => name === 'post.approved')
  const authors = await findAuthors(
    db,
    approved.map(({ subject }) => (subject as ReviewSubject).id),
  )
  return events.flatMap((event) => {
    const { id, to } = event.subject as ReviewSubject
    if (event.name === 'post.created' && to) return review(event, 'post.need-reviewing', to)
    const author = event.name === 'post.approved' ? authors.get(id) : undefined
    return author === undefined ? [] : review(event, 'post.approved', [author])
  })
}

function review(
  { id: eventId, actorId, createdAt, subject }: DispatchedEvent,
  name: NotifiableName,
  userIds: string[],
): Named[] {
  const { id, targetId } = subject as ReviewSubject
  if (actorId === null) return []
  return userIds
    .filter((userId) => userId !== actorId)
    .map((userId) => ({
      name,
      notice: {
        kind: name,
        eventId,
        actorId,
        occurredAt: createdAt,
        day: createdAt,
        audience: { type: 'user', id: userId },
        target: { type: 'community', id: targetId },
        subjectId: id,
        act: { type: 'post', id },
        reference: { type: 'post', id },
        actionReferenceId: id,
        parentId: null,
        rootId: null,
      },
    }))
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
