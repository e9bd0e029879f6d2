import { shape } from '../../kernel/envelope/shape.ts'
import { paths } from '../../kernel/paths.ts'
import { defineEvent } from '../../kernel/outbox/event.ts'
import { membershipId } from './members/id.ts'

export interface CommunitySubject {
  id: string
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
    realtime: form,
    webhooks: [{ name: webhook, ...form }],
  })
}

function membersEvent(name: string, webhook: string) {
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
    realtime: form,
    webhooks: [{ name: webhook, ...form }],
  })
}

export const communityCreated = membersEvent('community.created', 'v3.community.didCreate')
export const communityUpdated = communityEvent('community.updated', 'v3.community.didUpdate')
export const communityDeleted = communityEvent('community.deleted', 'v3.community.didDelete')
export const communityJoined = membersEvent('community.joined', 'v3.community.didJoin')
export const communityLeft = membersEvent('community.left', 'v3.community.didLeave')
export const communityUserAdded = membersEvent('community.userAdded', 'v3.community.didAddUsers')
export const communityUserRemoved = membersEvent('community.userRemoved', 'v3.community.didRemoveUsers')
export const communityUserBanned = membersEvent('community.userBanned', 'v3.community.didBan')
export const communityUserUnbanned = membersEvent('community.userUnbanned', 'v3.community.didUnban')
export const communityRoleAdded = membersEvent('community.roleAdded', 'v3.community.didRoleChange')
export const communityRoleRemoved = membersEvent('community.roleRemoved', 'v3.community.didRoleChange')

export const communityEvents = [
  communityCreated,
  communityUpdated,
  communityDeleted,
  communityJoined,
  communityLeft,
  communityUserAdded,
  communityUserRemoved,
  communityUserBanned,
  communityUserUnbanned,
  communityRoleAdded,
  communityRoleRemoved,
]
