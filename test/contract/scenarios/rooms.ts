import { firstPage, getAll, ok, until, uploadPicture, type Scenario } from './world.ts'

export const rooms: Scenario = async ({ alice, bob, broadcast }) => {
  const own = ok(
    await alice.post('/api/v1/rooms', {
      title: 'A talk about bees',
      description: 'Every spring',
      thumbnailFileId: await uploadPicture(alice),
      metadata: { mood: 'good' },
      liveChatEnabled: true,
      type: 'coHosts',
    }),
  ).rooms[0]
  const direct = ok(await alice.post('/api/v1/rooms', { title: 'Only me' })).rooms[0]
  ok(await alice.post('/api/v1/rooms', { title: 'From above', parentRoomId: own.roomId }))
  const at = `/api/v1/rooms/${own.roomId}`
  ok(await alice.post('/api/v4/posts', { dataType: 'room', data: { text: 'Come', roomId: own.roomId } }))
  ok(
    await alice.put(at, {
      title: 'A talk about bees, live',
      description: 'Today',
      thumbnailFileId: await uploadPicture(alice),
      metadata: {},
    }),
  )
  const invite = {
    type: 'livestreamCohostInvite',
    targetType: 'room',
    targetId: own.roomId,
    userIds: ['bob'],
  }
  const { invitations } = ok(await alice.post('/api/v1/invitations', invite))
  ok(await bob.post(`/api/v1/invitations/${invitations[0]._id}/accept`))
  await getAll(bob, [
    at,
    `${at}/token`,
    ['/api/v1/rooms', { ...firstPage, type: 'coHosts', statuses: ['idle'], sortBy: 'lastCreated', isDeleted: false }],
    ['/api/v1/rooms/lives', { targetTypes: ['all'], options: { limit: 100, sortBy: 'lastCreated' } }],
    ['/api/v1/rooms/lives', { targetTypes: ['community'], targetIds: [own.roomId] }],
  ]) // prettier-ignore
  ok(await bob.post(`/api/v1/presence/rooms/${own.roomId}/heartbeat`))
  await getAll(
    bob,
    ['users', 'users/count'].map((path) => `/api/v1/presence/rooms/${own.roomId}/${path}`),
  )
  const directAt = `/api/v1/rooms/${direct.roomId}`
  const { directStreamUrl } = ok(await alice.get(`${directAt}/token`))
  await broadcast(directStreamUrl)
  await until(bob, directAt, ({ rooms: [room] }) => room.livePlaybackUrl)
  ok(await alice.post(`${directAt}/stop`))
  await until(bob, directAt, ({ rooms: [room] }) => room.status === 'recorded')
  await getAll(bob, [`${directAt}/recorded`])
  ok(await alice.put(`${at}/participants/bob`, { canManageProductTags: true }))
  ok(await bob.post(`${at}/leave`))
  const { invitations: again } = ok(await alice.post('/api/v1/invitations', invite))
  ok(await bob.post(`/api/v1/invitations/${again[0]._id}/accept`))
  ok(await alice.delete(`${at}/participants/bob`))
  const endTime = new Date()
  const startTime = new Date(endTime.getTime() - 60_000)
  ok(
    await bob.post('/api/v3/user-event/room', {
      signature: 'made by the client',
      nonceStr: 'once',
      timestamp: endTime.toISOString(),
      rooms: [{ sessionId: 's1', roomId: own.roomId, watchSeconds: 60, startTime, endTime }],
    }),
  )
  ok(await alice.post(`${at}/stop`))
  ok(await alice.delete(directAt))
}
