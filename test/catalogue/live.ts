import { expect } from 'vitest'
import { streamRecordedAs } from '../../src/modules/streams/life-cycle.ts'
import { insertRecordings } from '../../src/modules/rooms/media-store.ts'
import { inTransaction } from '../../src/kernel/database.ts'
import { ok } from '../factories/chat.ts'
import { createPost } from '../factories/comments.ts'
import { createRoom, inviteCoHost, roomPath } from '../factories/rooms.ts'
import { createStream, streamPath, untilStatus } from '../factories/streams.ts'
import type { TestClient } from '../harness/client.ts'
import { sendWebhook } from '../stage/livekit-server.ts'
import { topicsOf } from './sdk-listener.ts'
import type { World } from './world.ts'

/** What a media server beside this one would have made. */
const recording = {
  file: { name: 'a.flv', kind: 'flv' as const, part: 1, objectKey: 'a/b', contentType: 'x', size: 1 },
  facts: { duration: 1, startTime: new Date(0), stopTime: new Date(1000), missing: [] },
}

/** Has pictures looked at: less sure flags, more sure ends. */
async function moderate({ admin }: World, path: string, confidence: number): Promise<void> {
  ok(await admin.post(`${path}/moderation`, { category: 'violence', confidence }))
}

export async function allowModeration({ admin }: World): Promise<void> {
  const categories = [{ category: 'violence', flagThreshold: 0.4, terminateThreshold: 0.75 }]
  const moderation = { enabled: true, categories }
  ok(await admin.put('/api/v3/network-settings/video-streaming', { moderation }))
}

/** Everything that is told of live streams, and the reactions that fly over them. */
export async function streams(world: World): Promise<void> {
  const { server, alice, bob, follow } = world
  const goLive = async () => {
    const { streamId, streamerUrl } = await createStream(alice)
    const tell = async (action: string) => {
      const { status } = await fetch(`${server.url}/media/callbacks?secret=${world.mediaSecret}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ action, path: `live/${streamId}`, query: streamerUrl.components.query }),
      })
      expect(status).toBe(200)
    }
    await tell('publish')
    await untilStatus(alice, streamId, 'live')
    return { streamId, tell }
  }
  const { streamId, tell } = await goLive()
  const post = await createPost(alice, { dataType: 'liveStream', data: { text: 'On air', streamId } })
  await follow(...topicsOf.liveReactions(post))
  const reactions = [{ reactionName: 'like', referenceType: 'post', referencePublicId: post.postId }]
  ok(await bob.post('/api/v1/reactions/live', { liveStreamId: streamId, reactions }))
  ok(await alice.put(streamPath(streamId, '/viewers/ban'), { userIds: ['bob'] }))
  ok(await alice.put(streamPath(streamId, '/viewers/unban'), { userIds: ['bob'] }))
  await tell('unpublish')
  await untilStatus(alice, streamId, 'ended')
  expect(await streamRecordedAs(server.app.db, streamId, [recording.file], recording.facts)).toBe(true)
  const bad = await goLive()
  await moderate(world, streamPath(bad.streamId), 0.5)
  await moderate(world, streamPath(bad.streamId), 0.9)
}

/** Everything that is told of rooms: their stage, and who comes onto it. */
export async function rooms(world: World): Promise<void> {
  const { server, alice, bob, follow } = world
  const open = async () => {
    const room = await createRoom(alice, { type: 'coHosts' })
    await follow(...topicsOf.room(room))
    const tell = async (event: string, { id: identity }: TestClient) => {
      const participant = { sid: 'PA_1', identity }
      const told = { event, room: { sid: 'RM_1', name: room.roomId }, participant }
      expect((await sendWebhook(server.url, told)).status).toBe(200)
    }
    const answer = async (how: 'accept' | 'reject') => {
      const { _id } = await inviteCoHost(alice, room.roomId, 'bob')
      ok(await bob.post(`/api/v1/invitations/${_id}/${how}`))
    }
    return { roomId: room.roomId as string, tell, answer }
  }
  const { roomId, tell, answer } = await open()
  await answer('reject')
  const { _id } = await inviteCoHost(alice, roomId, 'bob')
  ok(await alice.delete(`/api/v1/invitations/${_id}`))
  await answer('accept')
  ok(await bob.post(roomPath(roomId, '/leave')))
  await answer('accept')
  ok(await alice.delete(roomPath(roomId, '/participants/bob')))
  ok(await alice.put(roomPath(roomId), { title: 'Another name' }))
  await tell('participant_joined', alice)
  await tell('track_published', alice)
  await tell('participant_left', alice)
  await inTransaction(server.app.db, (tx) =>
    insertRecordings(tx, [{ roomId, ...recording.file, ...recording.facts }]),
  )
  ok(await alice.post(roomPath(roomId, '/stop')))
  const bad = await open()
  await bad.tell('track_published', alice)
  await moderate(world, roomPath(bad.roomId), 0.9)
}
