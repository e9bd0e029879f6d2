import { fail } from '../../kernel/errors.ts'
import type { Tx } from '../../kernel/database.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import type { InvitationChange, InvitationTarget } from '../invitations/index.ts'
import { lockOwnRoom } from './actions.ts'
import { coHostAccepted, coHostCancelled, coHostInvited, coHostRejected } from './events.ts'
import { joinRoom } from './participants.ts'
import { canManageRoom, isOver } from './policy.ts'
import { requireReadableRoom } from './queries.ts'
import { findBannedFrom, lockRoom } from './store.ts'

const maxParticipants = 20

const subjectOf = ({ id, targetId, userId }: InvitationChange) => ({
  roomId: targetId,
  invitationIds: [id],
  userIds: [userId],
})

/** Invitations onto the stage of a room. Only its host sends them, while the room is not over. */
export const roomInvitationTarget: InvitationTarget = {
  type: 'livestreamCohostInvite',
  targetType: 'room',

  async requireInviter(db, viewer, roomId) {
    if (!canManageRoom(viewer, await requireReadableRoom(db, viewer, roomId))) fail('permissionDenied')
  },

  async invite(tx, viewer, roomId, userIds) {
    const room = await lockOwnRoom(tx, viewer, roomId)
    if (room.type !== 'coHosts') fail('badRequest', 'the room is not one of co-hosts')
    if (isOver(room)) fail('conflict', 'the room is over')
    const present = new Set(room.participants.map((one) => one.userId))
    const invited = userIds.filter((userId) => !present.has(userId))
    for (const userId of invited)
      if ((await findBannedFrom(tx, userId, [roomId])).size > 0)
        fail('banned', 'a banned person cannot be invited')
    if (present.size + invited.length > maxParticipants)
      fail('tooManyMembers', `at most ${maxParticipants} participants`)
    return invited
  },

  async lock(tx, roomId) {
    const room = await lockRoom(tx, roomId)
    if (!room || room.isDeleted) fail('notFound')
  },

  async accept(tx, viewer, change) {
    const room = (await lockRoom(tx, change.targetId)) ?? fail('notFound')
    if (isOver(room)) fail('conflict', 'the room is over')
    if (room.participants.length >= maxParticipants) fail('tooManyMembers')
    if ((await findBannedFrom(tx, viewer.id, [room.id])).size > 0) fail('banned')
    await joinRoom(tx, viewer, room)
    await emit(tx, coHostAccepted, { actorId: viewer.id, subject: subjectOf(change) })
  },

  async withdraw(tx, viewer, change, status) {
    const event = status === 'rejected' ? coHostRejected : coHostCancelled
    await emit(tx, event, { actorId: viewer.id, subject: subjectOf(change) })
  },

  async tellInvited(tx: Tx, viewer, changes) {
    const subjects = changes.map((change) => ({ actorId: viewer.id, subject: subjectOf(change) }))
    await emit(tx, coHostInvited, ...subjects)
  },
}
