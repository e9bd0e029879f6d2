import { shape } from '../../kernel/envelope/shape.ts'
import { paths } from '../../kernel/paths.ts'
import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { membershipId } from './members/id.ts'

export interface CommunitySubject {
  id: string
  /** The change shut outsiders out. */
  closed?: boolean
}

/** Memberships of one community, by internal user ids. */
export interface MembersSubject extends CommunitySubject {
  userIds: string[]
}

const envelope = shape('communities', 'communityUsers', 'files', 'users', 'categories', 'feeds')
const audiences = ({ id }: CommunitySubject) => [paths.community(id)]

function communityEvent(name: string, webhook: string) {
  const form = { shape: envelope, roots: ({ id }: CommunitySubject) => ({ communities: [id] }) }
  return defineEvent<CommunitySubject>({
    name,
    audiences,
    access: ({ closed }) => (closed ? { userIds: 'everyone' } : undefined),
    realtime: form,
    webhooks: [{ name: webhook, ...form }],
  })
}

/** `ends`: those it is about are out, and out of a private community they hear nothing more. */
function membersEvent(name: string, webhook: string | null, { ends = false } = {}) {
  const form = {
    shape: envelope,
    roots: ({ id, userIds }: MembersSubject) => ({
      communities: [id],
      communityUsers: userIds.map((userId) => membershipId(id, userId)),
    }),
  }
  return defineEvent<MembersSubject>({
    name,
    audiences,
    ...(ends && { access: ({ userIds }: MembersSubject) => ({ userIds }) }),
    realtime: form,
    webhooks: webhook === null ? [] : [{ name: webhook, ...form }],
  })
}

/** Nobody can listen to what was not there before, so its creator hears of it on other devices by a personal topic. */
export const communityCreated: EventDefinition<MembersSubject> = {
  ...membersEvent('community.created', 'v3.community.didCreate'),
  audiences: ({ id, userIds }) => [
    paths.community(id),
    ...userIds.map((userId) => paths.smartFeed(userId, 'messages')),
  ],
}
export const communityUpdated = communityEvent('community.updated', 'v3.community.didUpdate')
export const communityDeleted = communityEvent('community.deleted', 'v3.community.didDelete')
export const communityJoined = membersEvent('community.joined', 'v3.community.didJoin')
export const communityLeft = membersEvent('community.left', 'v3.community.didLeave', { ends: true })
export const communityUserAdded = membersEvent('community.userAdded', 'v3.community.didAddUsers')
export const communityUserRemoved = membersEvent('community.userRemoved', 'v3.community.didRemoveUsers', {
  ends: true,
})
/** Beside the two above: lists of members in the newer clients follow this one only. */
export const communityUserChanged = membersEvent('community.userChanged', null)
export const communityUserBanned = membersEvent('community.userBanned', 'v3.community.didBan', { ends: true })
export const communityUserUnbanned = membersEvent('community.userUnbanned', 'v3.community.didUnban')
export const communityRoleAdded = membersEvent('community.roleAdded', 'v3.community.didRoleChange')
export const communityRoleRemoved = membersEvent('community.roleRemoved', 'v3.community.didRoleChange')

/** A wish to join, and what became of it: no client listens for these, the notification tray tells of them. */
export interface JoinRequestSubject {
  id: string
  communityId: string
  /** The requester's internal id. */
  userId: string
  status: 'pending' | 'approved' | 'rejected'
}

export const joinRequestCreated = defineEvent<JoinRequestSubject>({
  name: 'communityJoinRequest.created',
  audiences: () => [],
  realtime: null,
})
export const joinRequestAnswered = defineEvent<JoinRequestSubject>({
  name: 'communityJoinRequest.answered',
  audiences: () => [],
  realtime: null,
})

export const communityEvents = [
  communityCreated,
  communityUpdated,
  communityDeleted,
  communityJoined,
  communityLeft,
  communityUserAdded,
  communityUserRemoved,
  communityUserChanged,
  communityUserBanned,
  communityUserUnbanned,
  communityRoleAdded,
  communityRoleRemoved,
  joinRequestCreated,
  joinRequestAnswered,
]
