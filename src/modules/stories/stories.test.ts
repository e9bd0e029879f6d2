import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCommunity } from '../../../test/factories/communities.ts'
import { recordFile } from '../../../test/factories/files.ts'
import { setSocial } from '../../../test/factories/follows.ts'
import { createStory, listStories, path, storyBody } from '../../../test/factories/stories.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let mia: TestClient
let alice: TestClient
let communityId: string
beforeAll(async () => {
  server = await startTestServer()
  mia = await server.as('mia')
  alice = await server.as('alice')
  communityId = (await createCommunity(mia, { userIds: ['alice'] })).communityId
})
afterAll(() => server.close())

const post = (client: TestClient, fields: object = {}, targetId = communityId) =>
  client.post('/api/v4/stories', storyBody(targetId, { ...fields }))

it('makes a picture that is shown for a day, with all that clients read', async () => {
  const fileId = await recordFile(server, mia)
  const item = {
    type: 'hyperlink',
    data: { url: 'https://example.com', customText: 'Look' },
    placement: { width: 0.5, height: 0.1, transform: { translate_x: 1, rotate: 0 } },
  }
  const { status, body } = await post(mia, {
    dataType: 'image',
    data: { text: '', fileId, fileData: null, imageDisplayMode: 'fill' },
    items: [item],
    metadata: { mood: 'bright' },
    referenceId: 'uuid-1',
    syncState: 'syncing',
  })
  expect(status).toBe(200)
  const [story] = body.stories
  expect(story).toMatchObject({
    path: `hubbub/social/community/${communityId}/story/${story.storyId}`,
    referenceId: 'uuid-1',
    creatorId: mia.id,
    creatorPublicId: 'mia',
    targetId: communityId,
    targetPublicId: communityId,
    targetType: 'community',
    dataType: 'image',
    data: { text: '', fileId, imageDisplayMode: 'fill' },
    items: [item],
    metadata: { mood: 'bright' },
    flagCount: 0,
    hashFlag: null,
    reactions: {},
    reactionsCount: 0,
    myReactions: [],
    comments: [],
    commentsCount: 0,
    hasFlaggedComment: false,
    mentionedUsers: [],
    impression: 0,
    reach: 0,
    isDeleted: false,
  })
  expect(Date.parse(story.expiresAt) - Date.parse(story.createdAt)).toBe(24 * 60 * 60 * 1000)
  expect(body.files[0].fileId).toBe(fileId)
  expect(body.users[0].userId).toBe('mia')
  expect(body.communities[0].communityId).toBe(communityId)
  expect(body.communityUsers[0].userId).toBe('mia')
  expect(body.storyTargets).toMatchObject([{ targetId: communityId, lastStoryExpiresAt: story.expiresAt }])
  // Others, who never knew its maker's name for it, file it under its own id.
  const read = (await alice.get(path(story.storyId))).body.stories[0]
  expect(read).toEqual({ ...story, referenceId: undefined })
})

it('makes a video, with one rendition', async () => {
  const fileId = await recordFile(server, mia, 'video')
  const thumbnailFileId = await recordFile(server, mia)
  const { body } = await post(mia, {
    dataType: 'video',
    data: { text: '', fileId, thumbnailFileId, videoFileId: { original: fileId } },
  })
  const data = { text: '', fileId, thumbnailFileId, videoFileId: { original: fileId } }
  expect(body.stories[0].data).toEqual(data)
  expect(body.files.map((file: { fileId: string }) => file.fileId).sort()).toEqual(
    [fileId, thumbnailFileId].sort(),
  )
})

describe('what cannot be a story', () => {
  const link = (data: object) => ({ items: [{ data }] })
  const long = (n: number) => 'x'.repeat(n)
  it.each<[what: string, fields: () => Promise<object> | object, code: number]>([
    ['no data type', () => ({ dataType: undefined }), 500000],
    ['an unknown data type', () => ({ dataType: 'audio' }), 500000],
    ['an unknown place', () => ({ targetType: 'content' }), 500000],
    ['no reference', () => ({ referenceId: undefined }), 500000],
    ['a long reference', () => ({ referenceId: long(201) }), 500000],
    ['an empty text', () => ({ data: { text: '  ' } }), 500000],
    ['a picture without a file', () => ({ dataType: 'image', data: {} }), 500000],
    ['a video without a file', () => ({ dataType: 'video', data: {} }), 500000],
    ['an unknown file', () => ({ dataType: 'image', data: { fileId: 'nobodys' } }), 400400],
    ['a video as a picture', async () => ({ dataType: 'image', data: { fileId: await recordFile(server, mia, 'video') } }), 400000],
    ['a picture as a video', async () => ({ dataType: 'video', data: { fileId: await recordFile(server, mia) } }), 400000],
    ['a wrong display mode', () => ({ data: { text: 'x', imageDisplayMode: 'stretch' } }), 500000],
    ['over 10 KB of data', () => ({ data: { text: long(10_000) } }), 500000],
    ['over 20 KB of metadata', () => ({ metadata: { m: long(20_000) } }), 500000],
    ['11 items', () => ({ items: Array(11).fill({ data: { url: 'https://e.example' } }) }), 500000],
    ['an item of another type', () => ({ items: [{ type: 'poll' }] }), 500000],
    ['a long link', () => link({ url: long(1001) }), 500000],
    ['a long link text', () => link({ url: 'https://e.example', customText: long(31) }), 500000],
    ['an unknown community', () => ({ targetId: 'nowhere' }), 400400],
    ["another's page", () => ({ targetType: 'user', targetId: 'alice' }), 400301],
  ])('%s', async (_what, fields, code) => {
    const answer = await post(mia, await fields())
    expect([answer.body.code, answer.status >= 500]).toEqual([code, false])
  }) // prettier-ignore

  it('takes each at its bound', async () => {
    const text = 'x'.repeat(10_000 - JSON.stringify({ text: '' }).length)
    const metadata = { m: 'x'.repeat(20_000 - JSON.stringify({ m: '' }).length) }
    const data = { url: 'x'.repeat(1000), customText: 'y'.repeat(30) }
    const items = Array(10).fill({ data })
    const answer = await post(mia, { data: { text }, metadata, items, referenceId: 'r'.repeat(200) })
    expect(answer.status).toBe(200)
    expect(answer.body.stories[0].items).toEqual(Array(10).fill({ type: 'hyperlink', data }))
  })
})

it('takes videos of 90 seconds, or what the network says', async () => {
  const videoOf = async (durationSeconds: number) => {
    const fileId = await recordFile(server, mia, 'video')
    const metadata = JSON.stringify({ durationSeconds })
    await server.app.db.updateTable('files').set({ metadata }).where('id', '=', fileId).execute()
    return (await post(mia, { dataType: 'video', data: { fileId } })).body
  }
  expect((await videoOf(90)).stories).toHaveLength(1)
  expect((await videoOf(90.1)).code).toBe(400000)
  const admin = await server.asAdmin()
  const setting = '/api/v3/network-settings/feed-setting'
  await admin.put(setting, { story: { video: { maxDurationSeconds: 10 } } })
  expect((await videoOf(10.1)).code).toBe(400000)
  await admin.put(setting, { story: { video: { allowed: false } } })
  expect((await videoOf(1)).code).toBe(400000)
  await admin.put(setting, { story: { video: { allowed: true, maxDurationSeconds: 90 } } })
})

it('lets moderators make stories, and every member where the network says so', async () => {
  const stranger = await server.as('stranger')
  expect((await post(alice)).body.code).toBe(400301)
  await setSocial(server, { story: { allowAllUserToCreateStory: true } })
  expect((await post(alice)).status).toBe(200)
  expect((await post(stranger)).body.code).toBe(400301)
  const hidden = await createCommunity(mia, { isPublic: false })
  expect((await post(stranger, {}, hidden.communityId)).body.code).toBe(400400)
  await mia.put(`/api/v3/communities/${communityId}/users/ban`, { userIds: ['stranger'] })
  expect((await post(stranger)).body.code).toBe(400304)
  await setSocial(server, { story: { allowAllUserToCreateStory: false } })
  expect((await post(await server.asAdmin())).status).toBe(200)
})

it('shows a story as long as the network says', async () => {
  await setSocial(server, { story: { expiryTimeMinutes: 30 } })
  const story = await createStory(mia, communityId)
  await setSocial(server, { story: { expiryTimeMinutes: 1440 } })
  expect(Date.parse(story.expiresAt) - Date.parse(story.createdAt)).toBe(30 * 60 * 1000)
})

it('makes one story of what is sent twice, even at once', async () => {
  const body = storyBody(communityId, { referenceId: 'twice' })
  const answers = await Promise.all(Array.from({ length: 6 }, () => mia.post('/api/v4/stories', body)))
  const ids = new Set(answers.map((answer) => answer.body.stories[0].storyId))
  expect(ids.size).toBe(1)
  await mia.delete(path([...ids][0]!))
  expect((await mia.post('/api/v4/stories', body)).status).toBe(409)
})

it('shows 100 stories at one place, and no more', async () => {
  const { communityId: full } = await createCommunity(mia)
  const { storyId } = await createStory(mia, full)
  await sql`
    insert into stories select copy.* from stories, generate_series(1, 94) n, json_populate_record(stories,
      json_build_object('id', lpad(n::text, 24, '0'), 'reference_id', 'copy ' || n)) copy
    where stories.id = ${storyId}`.execute(server.app.db)
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(mia, {}, full)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(answers.find(({ status }) => status !== 200)?.body.code).toBe(400900)
  const { ids } = await listStories(mia, full)
  expect(ids).toHaveLength(100)
  await mia.delete(path(ids[0]!))
  expect((await post(mia, {}, full)).status).toBe(200)
})

it('judges words and links', async () => {
  const admin = await server.asAdmin()
  await admin.post('/api/v3/blocklists', { regexs: ['awful'] })
  expect((await post(mia, { data: { text: 'how awful' } })).body.code).toBe(400308)
  expect((await post(mia, { items: [{ data: { customText: 'awful' } }] })).body.code).toBe(400308)
})
