import type { TestAnswer, TestClient } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'

type Fields = Record<string, unknown>

export const rooms = '/api/v1/rooms'

export function roomPath(roomId: string, rest = ''): string {
  return `${rooms}/${roomId}${rest}`
}

/** Makes a room as this user; answers it as shown to them. */
export async function createRoom(client: TestClient, fields: Fields = {}): Promise<TestAnswer['body']> {
  const answer = await client.post(rooms, { title: 'Room', ...fields })
  if (answer.status !== 200) throw new Error(`creating a room: ${JSON.stringify(answer.body)}`)
  return answer.body.rooms[0]
}

/** A room as somebody sees it; undefined when they see none. */
export async function readRoom(client: TestClient, roomId: string): Promise<TestAnswer['body']> {
  return (await client.get(roomPath(roomId))).body.rooms?.[0]
}

/** Waits until a room has come to a status; answers it. */
export async function untilRoom(
  client: TestClient,
  roomId: string,
  status: string,
  ms = 20_000,
): Promise<TestAnswer['body']> {
  return eventually(async () => {
    const room = await readRoom(client, roomId)
    return room?.status === status ? room : undefined
  }, ms)
}

/** Invites somebody onto the stage of a room; answers the invitation. */
export async function inviteCoHost(
  host: TestClient,
  roomId: string,
  userId: string,
): Promise<TestAnswer['body']> {
  const answer = await host.post('/api/v1/invitations', {
    type: 'livestreamCohostInvite',
    targetType: 'room',
    targetId: roomId,
    userIds: [userId],
  })
  if (answer.status !== 200) throw new Error(`inviting: ${JSON.stringify(answer.body)}`)
  return answer.body.invitations[0]
}
