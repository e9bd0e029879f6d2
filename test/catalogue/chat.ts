import { channelPath, createChannel, ok, say, sayIn } from '../factories/chat.ts'
import { reactTo } from './reactions.ts'
import { topicsOf } from './sdk-listener.ts'
import type { World } from './world.ts'

/** Everything that is told of channels and their feeds. */
export async function channels({ admin, alice, bob }: World): Promise<void> {
  const { _id, channelId } = await createChannel(alice, {
    type: 'community',
    displayName: 'Chat',
    userIds: ['carol'],
  })
  const users = channelPath(channelId, '/users')
  ok(await bob.post(channelPath(channelId, '/join')))
  ok(await alice.put(channelPath(channelId), { displayName: 'Talk', metadata: { a: 1 } }))
  ok(await bob.delete(channelPath(channelId, '/leave')))
  ok(await alice.post(users, { userIds: ['bob'] }))
  ok(await alice.put(`/api/v2/channel/${channelId}/users/mute`, { userIds: ['bob'], mutePeriod: 1000 }))
  ok(await alice.delete(users, { userIds: ['bob'] }))
  ok(await alice.put(`${users}/ban`, { userIds: ['carol'] }))
  ok(await alice.put(`${users}/unban`, { userIds: ['carol'] }))
  ok(await alice.put(`/api/v2/channel/${channelId}/mute`, { mutePeriod: -1 }))
  const feeds = '/api/v5/message-feeds'
  const [{ messageFeedId }] = ok(await alice.post(feeds, { channelId: _id, name: 'Side' })).messageFeeds
  ok(await alice.put(`${feeds}/${messageFeedId}`, { name: 'Aside' }))
  ok(await alice.delete(`${feeds}/${messageFeedId}`))
  ok(await alice.post(channelPath(channelId, '/close', 'v2')))
  ok(await admin.delete(channelPath(channelId)))
}

/** Everything that is told of messages, and of who has read them. */
export async function messages({ alice, bob, follow }: World): Promise<void> {
  const channel = await createChannel(alice, { type: 'community', displayName: 'Chat' })
  const { _id: feedId, channelId } = channel
  ok(await bob.post(channelPath(channelId, '/join')))
  await follow(...topicsOf.channel(channel), ...topicsOf.receipts(channel))
  const { messageId, segment } = await sayIn(alice, feedId)
  ok(await bob.post('/api/v3/channels/seen', { channels: [{ channelId, readToSegment: segment }] }))
  const one = `/api/v5/messages/${messageId}`
  ok(await alice.put(one, { data: { text: 'changed' } }))
  ok(await bob.post(`${one}/flags`))
  ok(await bob.delete(`${one}/flags`))
  ok(await bob.post(`${one}/flags`))
  ok(await alice.delete(`${one}/flags/all`))
  await reactTo(bob, 'message', messageId)
  ok(await alice.delete(one))
  await say(alice, channelId, 'in the older way')
}
