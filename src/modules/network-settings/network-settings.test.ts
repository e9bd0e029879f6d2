import { beforeAll, describe, expect, it } from 'vitest'
import { createChannel, ok, refusal, say } from '../../../test/factories/chat.ts'
import { createCommunity } from '../../../test/factories/communities.ts'
import { recordFile } from '../../../test/factories/files.ts'
import { createPost, path as postPath } from '../../../test/factories/posts.ts'
import { startWithPeople } from '../../../test/harness/people.ts'

const { server, admin, alice } = await startWithPeople()

const at = (section: string) => `/api/v3/network-settings/${section}`
const change = async (section: string, body: unknown) => ok(await admin.put(at(section), body))

describe('a change', () => {
  it('is of the members named, in both forms, and drops what is none', async () => {
    const told = await change('social', {
      showMyPost: false,
      story: { expiryTimeMinutes: 60 },
      colour: 'red',
    })
    const read = ok(await alice.get(at('social')))
    expect(read).toEqual(told)
    expect(read).toMatchObject({ globalFeed: { showMyPost: false, showFollowingPost: true }, enabled: true })
    expect(read.story).toEqual({ expiryTimeMinutes: 60, allowAllUserToCreateStory: false })
    expect(read.socialNetworkSetting.globalFeed).toEqual(read.globalFeed)
    expect(read).not.toHaveProperty('colour')
    await change('social', { showMyPost: true, storyExpiryTimeMinutes: 1440 })
  })

  it.each([
    ['social', { storyExpiryTimeMinutes: 1441 }],
    ['social', { isFollowWithRequestEnabled: 'yes' }],
    ['presence', { heartbeatInterval: 0 }],
    ['feed-setting', { post: { video: { maxDurationSeconds: 7201 } } }],
  ])('of %s to %j is refused', async (section, body) => {
    const before = ok(await admin.get(at(section)))
    expect(refusal(await admin.put(at(section), body))).toEqual([422, 500000])
    expect(ok(await admin.get(at(section)))).toEqual(before)
  })

  it('leaves alone what others change at the same time, also where nobody changed anything before', async () => {
    const members = [
      'isAllowAdminViewConversationMessage',
      'isAllowAdminManageConversationMessage',
      'enabled',
    ]
    await Promise.all(members.map((member) => change('chat', { [member]: false })))
    expect(ok(await admin.get(at('chat')))).toMatchObject(
      Object.fromEntries(members.map((member) => [member, false])),
    )
    await change('chat', Object.fromEntries(members.map((member) => [member, true])))
  })
})

describe('a part that is switched off', () => {
  it('chat: is read and taken back, and written by administrators alone', async () => {
    const { channelId } = await createChannel(alice, { type: 'community', displayName: 'Chat' })
    const { messageId } = await say(alice, channelId, 'before')
    ok(await admin.put('/api/v3/network-settings', { chatEnabled: false }))
    const message = { channelId, data: { text: 'x' } }
    const reaction = { referenceType: 'message', referenceId: messageId, reactionName: 'like' }
    expect(refusal(await alice.post('/api/v3/messages', message))).toEqual([403, 400300])
    expect(refusal(await alice.post('/api/v3/channels', { type: 'community' }))).toEqual([403, 400300])
    expect(refusal(await alice.post('/api/v1/typing', { channelId }))).toEqual([403, 400300])
    expect(refusal(await alice.post('/api/v2/reactions', reaction))).toEqual([403, 400300])
    ok(await alice.get('/api/v3/messages', { channelId }))
    ok(await alice.delete(`/api/v5/messages/${messageId}`))
    await createChannel(admin, { type: 'community', displayName: 'Ours' })
    await createPost(alice)
    ok(await admin.put('/api/v3/network-settings', { chatEnabled: true }))
    await say(alice, channelId, 'after')
  })

  it('social: likewise', async () => {
    const { communityId } = await createCommunity(alice)
    const { postId } = await createPost(alice)
    const reaction = { referenceType: 'post', referenceId: postId }
    ok(await alice.post('/api/v2/reactions', { ...reaction, reactionName: 'like' }))
    await change('social', { enabled: false })
    const comment = { referenceType: 'post', referenceId: postId, data: { text: 'x' } }
    for (const refused of [
      alice.post('/api/v4/posts', { data: { text: 'x' } }),
      alice.put(postPath(postId, '', 'v4'), { data: { text: 'x' } }),
      alice.post('/api/v3/comments', comment),
      alice.post('/api/v2/reactions', { ...reaction, reactionName: 'love' }),
      alice.post('/api/v3/communities', { displayName: 'x' }),
      alice.put(`/api/v3/communities/${communityId}`, { displayName: 'x' }),
    ])
      expect(refusal(await refused)).toEqual([403, 400300])
    ok(await alice.get(postPath(postId)))
    ok(await alice.delete('/api/v2/reactions', { ...reaction, reactionName: 'like' }))
    ok(await alice.delete(postPath(postId, '', 'v4')))
    await createCommunity(admin)
    await change('social', { enabled: true })
    await createPost(alice)
  })
})

describe('videos', () => {
  let channelId: string
  beforeAll(async () => {
    ;({ channelId } = await createChannel(alice, { type: 'community', displayName: 'Chat' }))
  })

  const inPost = (fileId: string) =>
    alice.post('/api/v4/posts', { data: { text: 'x' }, attachments: [{ fileId, type: 'video' }] })
  const inMessage = (fileId: string) => alice.post('/api/v3/messages', { channelId, type: 'video', fileId })

  it.each([
    ['post', inPost, 7200],
    ['message', inMessage, 600],
  ])('in a %s last as long as the network says', async (place, show, longest) => {
    const videoOf = async (durationSeconds: number) => {
      const fileId = await recordFile(server, alice, 'video')
      const metadata = JSON.stringify({ durationSeconds })
      await server.app.db.updateTable('files').set({ metadata }).where('id', '=', fileId).execute()
      return show(fileId)
    }
    expect((await videoOf(longest)).status).toBe(200)
    expect(refusal(await videoOf(longest + 0.1))).toEqual([400, 400000])
    await change('feed-setting', { [place]: { video: { maxDurationSeconds: 10 } } })
    expect(refusal(await videoOf(10.1))).toEqual([400, 400000])
    await change('feed-setting', { [place]: { video: { allowed: false } } })
    expect(refusal(await videoOf(1))).toEqual([400, 400000])
    await change('feed-setting', { [place]: { video: { allowed: true, maxDurationSeconds: longest } } })
  })
})
