import type { Routes } from '../../kernel/http/routes.ts'
import { iso, Success } from '../../kernel/schema.ts'
import { choosePresence, heartbeat, heartbeatInRoom } from './actions.ts'
import { presentChoice, presentCount, presentPresence, presentViewer } from './present.ts'
import {
  countChannelOnline,
  countEveryoneOnline,
  countRoom,
  listOnline,
  listOnlineMembers,
  listPresences,
  listRoomViewers,
  readPresenceSettings,
} from './queries.ts'
import type { WatchedRooms } from './room.ts'
import {
  ChannelIdParams,
  ListPresencesQuery,
  OrderQuery,
  PresenceCount,
  Presences,
  PresenceSettings,
  RoomIdParams,
  RoomViewers,
  SettingBody,
  UserPresenceSetting,
} from './schema.ts'

const tag = 'Presence'

export function presenceRoutes({ read, write }: Routes): void {
  write(
    'POST',
    '/api/v1/presence/heartbeat',
    { summary: 'Say that the user is online', tag, answers: { schema: Success } },
    async (tx, { viewer }) => {
      await heartbeat(tx, viewer)
      return { body: { success: true }, status: 202 }
    },
  )
  read(
    'GET',
    '/api/v1/presence/network/users',
    { summary: 'List who is online', tag, query: OrderQuery, answers: { schema: Presences } },
    async (db, { viewer, query }) => ({
      body: { presences: (await listOnline(db, viewer, query.orderBy ?? 'desc')).map(presentPresence) },
    }),
  )
  read(
    'GET',
    '/api/v1/presence/network/users/count',
    { summary: 'Count who is online', tag, answers: { schema: PresenceCount } },
    async (db) => ({ body: presentCount(await countEveryoneOnline(db)) }),
  )
  read(
    'GET',
    '/api/v1/presence/users/list',
    {
      summary: 'List when users were last heard of',
      tag,
      query: ListPresencesQuery,
      answers: { schema: Presences },
    },
    async (db, { viewer, query }) => ({
      body: { presences: (await listPresences(db, viewer, query.userIds)).map(presentPresence) },
    }),
  )
  read(
    'GET',
    '/api/v1/presence/channels/:channelId/users',
    {
      summary: 'List which members of a channel are online',
      tag,
      params: ChannelIdParams,
      answers: { schema: Presences },
    },
    async (db, { viewer, params }) => ({
      body: { presences: (await listOnlineMembers(db, viewer, params.channelId)).map(presentPresence) },
    }),
  )
  read(
    'GET',
    '/api/v1/presence/channels/:channelId/users/count',
    {
      summary: 'Count which members of a channel are online',
      tag,
      params: ChannelIdParams,
      answers: { schema: PresenceCount },
    },
    async (db, { viewer, params }) => ({
      body: presentCount(await countChannelOnline(db, viewer, params.channelId)),
    }),
  )
  read(
    'GET',
    '/api/v1/presence/settings',
    { summary: 'Read the presence settings', tag, answers: { schema: PresenceSettings } },
    async (db, { viewer }) => {
      const { user, network, updatedAt } = await readPresenceSettings(db, viewer)
      return { body: { user: presentChoice(user), network: { ...network, updatedAt: iso(updatedAt) } } }
    },
  )
  write(
    'PUT',
    '/api/v1/presence/settings/user',
    {
      summary: 'Choose whether others see the user online',
      tag,
      body: SettingBody,
      answers: { schema: UserPresenceSetting },
    },
    async (tx, { viewer, body: { enabled } }) => {
      const at = await choosePresence(tx, viewer, enabled)
      return { body: presentChoice({ isEnabled: enabled, enabledAt: enabled ? at : null }) }
    },
  )
}

/** Presence in rooms; visitors watch too. */
export function roomPresenceRoutes({ read, write }: Routes, rooms: WatchedRooms | undefined): void {
  write(
    'POST',
    '/api/v1/presence/rooms/:roomId/heartbeat',
    {
      summary: 'Say that the user watches a room',
      tag,
      params: RoomIdParams,
      answers: { schema: Success },
      openToVisitors: true,
    },
    async (tx, { viewer, params }) => {
      await heartbeatInRoom(tx, viewer, rooms, params.roomId)
      return { body: { success: true } }
    },
  )
  read(
    'GET',
    '/api/v1/presence/rooms/:roomId/users',
    { summary: 'List who watches a room', tag, params: RoomIdParams, answers: { schema: RoomViewers } },
    async (db, { viewer, params }) => {
      const { viewers, ...counts } = await listRoomViewers(db, viewer, rooms, params.roomId)
      return { body: { viewers: viewers.map(presentViewer), ...counts } }
    },
  )
  read(
    'GET',
    '/api/v1/presence/rooms/:roomId/users/count',
    { summary: 'Count who watches a room', tag, params: RoomIdParams, answers: { schema: PresenceCount } },
    async (db, { viewer, params }) => ({
      body: presentCount(await countRoom(db, viewer, rooms, params.roomId)),
    }),
  )
}
