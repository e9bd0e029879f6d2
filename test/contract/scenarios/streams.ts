import { firstPage, getAll, ok, uploadPicture, type Scenario } from './world.ts'

export const streams: Scenario = async ({ alice, bob, goLive }) => {
  const create = async (fields = {}): Promise<string> =>
    ok(await alice.post('/api/v3/video-streaming', { title: 'The hive, live', ...fields })).videoStreamings[0]
      .streamId
  const streamId = await create({
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
  await goLive(streamId)
  ok(await bob.post('/api/v1/reactions/live', { liveStreamId: streamId, reactions: [reaction] }))
  ok(await alice.delete(`/api/v3/video-streaming/${await create()}/streaming-url`))
  ok(await alice.delete(`/api/v3/video-streaming/${await create()}`))
}
