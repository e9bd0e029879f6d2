import { firstPage, getAll, ok, type Scenario, type World } from './world.ts'

async function openChannel({ alice }: World) {
  const { channelId, _id: id } = ok(
    await alice.post('/api/v3/channels', {
      type: 'community',
      displayName: 'Chat',
      userIds: ['bob', 'carol'],
    }),
  ).channels[0]
  return { channelId: channelId as string, id: id as string }
}

export const messages: Scenario = async (world) => {
  const { alice, bob, admin } = world
  const { id, channelId } = await openChannel(world)
  let sent = 0
  const send = async (fields = {}): Promise<string> =>
    ok(
      await alice.post('/api/v5/messages', {
        messageFeedId: id,
        referenceId: `LOCAL_00000000-0000-4000-8000-00000000000${sent++}`,
        dataType: 'text',
        data: { text: 'Hello bob' },
        tags: ['greeting'],
        metadata: { a: 1 },
        mentionedUsers: [{ type: 'user', userIds: ['bob'] }],
        ...fields,
      }),
    ).messages[0].messageId
  const messageId = await send()
  await send({ parentId: messageId })
  const at = `/api/v5/messages/${messageId}`
  ok(await alice.put(at, { data: { text: 'Hello, bob' } }))
  ok(
    await bob.post('/api/v2/reactions', {
      referenceType: 'message',
      referenceId: messageId,
      reactionName: 'like',
    }),
  )
  await getAll(bob, [
    at,
    [
      '/api/v5/messages',
      { messageFeedId: id, isDeleted: false, options: { limit: 10, sortBy: 'segmentDesc' } },
    ],
    ['/api/v5/messages/list', { messageIds: [messageId] }],
    [`/api/v5/messages/user/${alice.id}`, firstPage],
  ])
  ok(await bob.post(`${at}/flags`, { reason: 'Spam', detail: 'again' }))
  await getAll(bob, [`${at}/flags`])
  ok(await bob.delete(`${at}/flags`))
  ok(await bob.post(`${at}/flags`))
  ok(await admin.delete(`${at}/flags/all`))
  ok(await alice.delete(`/api/v5/messages/${await send()}`))

  const write = async (fields = {}): Promise<string> => {
    const message = { channelId, type: 'text', data: { text: 'Hello again' }, ...fields }
    return ok(await alice.post('/api/v3/messages', message)).messages[0].messageId
  }
  const older = await write({ messageId: 'my-own-id', mentionees: [{ type: 'channel' }] })
  const was = `/api/v3/messages/${older}`
  ok(await alice.put(was, { data: { text: 'Hello again!' }, mentionees: [{ type: 'channel' }] }))
  await getAll(bob, [
    was,
    ['/api/v3/messages', { channelId, type: 'text', options: { last: 10 } }],
    ['/api/v3/messages/list', { messageIds: [older] }],
  ])
  ok(await bob.post(`${was}/flag`))
  await getAll(bob, [`${was}/isFlaggedByMe`])
  ok(await bob.delete(`${was}/unflag`))
  ok(await bob.post(`${was}/flag`))
  ok(await admin.delete(`${was}/clearFlags`))
  ok(await alice.delete(`/api/v3/messages/${await write()}`))
}

export const messageFeeds: Scenario = async (world) => {
  const { alice, bob } = world
  const { id, channelId } = await openChannel(world)
  const create = async (): Promise<string> =>
    ok(await alice.post('/api/v5/message-feeds', { channelId: id, name: 'Side' })).messageFeeds[0]
      .messageFeedId
  const feedId = await create()
  const at = `/api/v5/message-feeds/${feedId}`
  ok(await alice.put(at, { name: 'Side talk' }))
  ok(await alice.post('/api/v5/messages', { messageFeedId: feedId, dataType: 'text', data: { text: 'x' } }))
  await getAll(bob, [
    at,
    [`/api/v5/message-feeds/channel/${channelId}`, { ...firstPage, excludeDefaultMessageFeed: true }],
    ['/api/v5/message-feeds/list', { messageFeedIds: [feedId] }],
    [`/api/v5/message-feeds/user/${alice.id}`, firstPage],
  ])
  ok(await alice.delete(at))
}

export const markers: Scenario = async (world) => {
  const { alice, bob } = world
  const { id } = await openChannel(world)
  const { messageId } = ok(
    await alice.post('/api/v5/messages', { messageFeedId: id, dataType: 'text', data: { text: 'Read me' } }),
  ).messages[0]
  const feed = `/api/v1/markers/message-feeds/${id}`
  ok(await bob.post(`${feed}/start-reading`))
  ok(await bob.post('/api/v1/markers/message-feeds/reading', { messageFeedIds: [id] }))
  ok(await bob.put(`${feed}/mark-delivering`, { messageId }))
  ok(await bob.put(`${feed}/mark-read`, { readToSegment: 1 }))
  ok(await bob.put(`/api/v1/markers/channels/${id}/mark-read`))
  await getAll(bob, [
    ['/api/v1/markers/channels', { channelIds: [id] }],
    ['/api/v1/markers/message-feeds', { messageFeedIds: [id] }],
    ['/api/v1/markers/messages', { messageIds: [messageId] }],
    ['/api/v1/markers/user-message-feed', { channelIds: [id] }],
    '/api/v1/markers/userMarker',
  ])
  await getAll(alice, [
    [`/api/v1/markers/messages/${messageId}/delivered-users`, firstPage],
    [`/api/v1/markers/messages/${messageId}/read-users`, firstPage],
  ])
  ok(await bob.post('/api/v1/markers/sync', { deviceLastSyncAt: '2020-01-01T00:00:00.000Z' }))
  ok(await bob.post(`${feed}/stop-reading`))
  ok(await bob.post(`${feed}/start-reading`))
  ok(await bob.post(`${feed}/stop-readings`))
}
