import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { shape } from '../../kernel/envelope/shape.ts'
import { paths } from '../../kernel/paths.ts'
import { roomShape } from './resource.ts'
import type { RoomStatus } from './schema.ts'

export interface RoomSubject {
  id: string
}

const roots = ({ id }: RoomSubject) => ({ rooms: [id] })

function roomEvent(name: string): EventDefinition<RoomSubject> {
  return defineEvent<RoomSubject>({
    name,
    audiences: ({ id }) => [paths.room(id)],
    realtime: { shape: roomShape, roots },
    webhooks: [{ name, shape: roomShape, roots }],
  })
}

const roomStarted = roomEvent('room.startBroadcasting')
const roomWaiting = roomEvent('room.waitingReconnect')
const roomEnded = roomEvent('room.endBroadcasting')
const roomRecorded = roomEvent('room.recordedAvailable')
const roomTerminated = roomEvent('room.terminated')
export const roomUpdated = roomEvent('room.didUpdate')

/** What is told when a room comes to a status. */
export const statusEvents: Readonly<Record<RoomStatus, EventDefinition<RoomSubject>>> = {
  idle: roomUpdated,
  error: roomUpdated,
  live: roomStarted,
  waitingReconnect: roomWaiting,
  ended: roomEnded,
  recorded: roomRecorded,
  terminated: roomTerminated,
}

export interface ParticipantSubject extends RoomSubject {
  /** Internal id of the participant. */
  userId: string
}

/** Those who watch and those on stage both keep a list of the participants. */
function participantEvent(name: string): EventDefinition<ParticipantSubject> {
  const form = {
    shape: roomShape,
    roots,
    extra: ({ userId }: ParticipantSubject) => ({ eventActor: { userInternalId: userId } }),
  }
  return defineEvent<ParticipantSubject>({
    name,
    audiences: ({ id }) => [paths.room(id), paths.roomStreamer(id)],
    realtime: form,
    webhooks: [{ name, ...form }],
  })
}

export const participantJoined = participantEvent('room.participantJoined')
export const participantLeft = participantEvent('room.participantLeft')
export const participantRemoved = participantEvent('room.participantRemoved')
export const stageJoined = participantEvent('room.participantStageJoined')
export const stageLeft = participantEvent('room.participantStageLeft')

export interface InviteSubject {
  roomId: string
  invitationIds: string[]
  /** Internal ids of those who were invited: they listen to no topic of the room yet. */
  userIds: string[]
}

const inviteShape = shape('invitations', 'users', 'files')

function inviteEvent(name: string): EventDefinition<InviteSubject> {
  const form = {
    shape: inviteShape,
    roots: ({ invitationIds }: InviteSubject) => ({ invitations: invitationIds }),
  }
  return defineEvent<InviteSubject>({
    name,
    audiences: ({ roomId, userIds }) => [
      paths.roomStreamer(roomId),
      ...userIds.map((userId) => paths.smartFeed(userId, 'messages')),
    ],
    realtime: form,
    webhooks: [{ name, ...form }],
  })
}

export const coHostInvited = inviteEvent('room.didCohostInvite')
export const coHostAccepted = inviteEvent('room.didCohostInviteAccept')
export const coHostRejected = inviteEvent('room.didCohostInviteReject')
export const coHostCancelled = inviteEvent('room.didCohostInviteCancel')

export const roomEvents = [
  roomStarted,
  roomWaiting,
  roomEnded,
  roomRecorded,
  roomTerminated,
  roomUpdated,
  participantJoined,
  participantLeft,
  participantRemoved,
  stageJoined,
  stageLeft,
  coHostInvited,
  coHostAccepted,
  coHostRejected,
  coHostCancelled,
] as EventDefinition[]
