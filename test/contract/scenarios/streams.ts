import { firstPage, getAll, ok, until, uploadPicture, type Scenario } from './world.ts'

export const streams: Scenario = async ({ alice, bob, broadcast }) => {
  const create = async (fields = {}) =>
    ok(await alice.post('/api/v3/video-streaming', { title: 'The hive, live', ...fields })).videoStreamings[0]
  const { streamId, streamerUrl } = await create({
    description: 'From dawn on',
    thumbnailFileId: await uploadPicture(alice),
    metadata: { a: 1 },
    resolution: 'HD',
  })
  ok(await alice.post('/api/v4/posts', { dataType: 'liveStream', data: { text: 'Watch', streamId } }))
  const at = `/api/v3/video-streaming/${streamId}`
  ok(await alice.put(at, { title: 'The hive' }))
  await getAll(bob, [
    at,
    [
      '/api/v3/video-streaming',
      { ...firstPage, statuses: ['idle'], userPublicIds: ['alice'], sortBy: 'lastCreated' },
    ],
  ])
  ok(
    await bob.post('/api/v3/user-event/video-streaming', {
      signature: 'none',
      nonceStr: 'none',
      timestamp: new Date().toISOString(),
      streams: [
        {
          sessionId: 'one',
          streamId,
          startTime: new Date().toISOString(),
          endTime: new Date().toISOString(),
          watchSeconds: 1,
          resolution: 'HD',
        },
      ],
    }),
  )
  const reaction = {
    reactionName: 'heart',
    referencePublicId: streamId,
    streamId,
    occurredAt: new Date().toISOString(),
  }
  await broadcast(streamerUrl.url)
  await until(bob, at, ({ videoStreamings: [stream] }) => stream.isLive)
  ok(await bob.post('/api/v1/reactions/live', { liveStreamId: streamId, reactions: [reaction] }))
  ok(await alice.delete(`/api/v3/video-streaming/${(await create()).streamId}/streaming-url`))
  ok(await alice.delete(`/api/v3/video-streaming/${(await create()).streamId}`))
}
