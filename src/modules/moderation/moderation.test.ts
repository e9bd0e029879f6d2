import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createChannel, say as sayInChannel } from '../../../test/factories/chat.ts'
import { createComment, createPost, path } from '../../../test/factories/comments.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { now, setClock } from '../../platform/clock.ts'

let server: TestServer
let alice: TestClient
let admin: TestClient
let postId: string
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  admin = await server.asAdmin()
  postId = (await createPost(alice)).postId
})
afterAll(() => server.close())

const blocks = '/api/v3/blocklists'
const allows = '/api/v3/allowlists'
const settings = '/api/v2/moderation-settings'
const say = (text: string, fields: Record<string, unknown> = {}) =>
  alice.post('/api/v3/comments', { referenceId: postId, data: { text }, ...fields })
const outcome = async (answer: Promise<{ status: number; body: { code?: number } }>) => {
  const { status, body } = await answer
  return status === 200 ? 200 : [status, body.code]
}
const patterns = async (where = blocks) =>
  ((await admin.get(where, { sortBy: 'firstCreated' })).body.results as { regex: string }[]).map(
    (rule) => rule.regex,
  )
const block = (regexs: string[], isMatchExactWord?: boolean) =>
  admin.post(blocks, { regexs, isMatchExactWord })
const empty = async () => {
  for (const list of ['blacklist', 'whitelist']) await admin.put(`/api/v2/${list}/records`, { regexs: [] })
}

describe('the lists', () => {
  beforeEach(empty)

  it.each([
    ['block', blocks],
    ['allow', allows],
  ])('%s: are added to, searched, and read page by page', async (_list, where) => {
    expect((await admin.post(where, { regexs: ['one', 'two', 'one', 't.*ree'] })).body).toEqual({ success: true })
    const { body } = await admin.get(where, { sortBy: 'firstCreated' })
    expect(body.paging).toEqual({})
    expect(body.results).toMatchObject([
      { regex: 'one', isMatchExactWord: false, isEnabled: true, isDeleted: false },
      { regex: 'two' },
      { regex: 't.*ree' },
    ])
    expect((await admin.get(where, { regex: '.*' })).body.results).toMatchObject([{ regex: 't.*ree' }])
    expect((await admin.get(where, { regex: 'T' })).body.results).toHaveLength(2)
    const first = (await admin.get(where, { options: { limit: 2 } })).body
    expect(first.results).toMatchObject([{ regex: 't.*ree' }, { regex: 'two' }])
    const next = await admin.get(where, { options: { token: first.paging.next } })
    expect(next.body.results).toMatchObject([{ regex: 'one' }])
    const past = { options: { before: Date.parse(body.results[0].createdAt) } }
    expect((await admin.get(where, past)).body.results).toEqual([])
    const later = { options: { after: 0 } }
    expect((await admin.get(where, later)).body.results).toHaveLength(3)
  })

  it.each([
    ['/api/v2/blacklist/records', blocks],
    ['/api/v2/whitelist/records', allows],
    ['/v1/blacklist/records', blocks],
  ])('%s: are added to, replaced and taken from', async (where, list) => {
    const added = await admin.post(where, { regexs: ['one', 'two'] })
    expect(added.body).toMatchObject({ status: 'success', data: { results: [{ regex: 'one' }, { regex: 'two' }] } })
    expect(await patterns(list)).toEqual(['one', 'two'])
    const [one] = added.body.data.results
    await admin.put(where, { regexs: ['two', 'three'] })
    expect(await patterns(list)).toEqual(['two', 'three'])
    // What comes back is the rule that was there.
    expect((await admin.post(where, { regexs: ['one'] })).body.data.results).toMatchObject([{ ruleId: one.ruleId }])
    const gone = await admin.delete(`${where}?ruleIds[]=${one.ruleId}`)
    expect(gone.body.data.results.map((rule: { regex: string }) => rule.regex)).toEqual(['two', 'three'])
    expect((await admin.delete(`${where}?ruleIds[]=${one.ruleId}`)).status).toBe(404)
    expect((await admin.delete(where)).status).toBe(422)
  })

  it.each(['blacklist', 'whitelist'])('%s: rules are found by their text and switched', async (list) => {
    const where = `/api/v2/${list}/records`
    const added = (await admin.post(where, { regexs: ['one', 'two'], isMatchExactWord: true })).body.data.results
    expect((await admin.get(where, { regexs: ['two', 'nine'] })).body.data.results).toEqual([added[1]])
    expect((await admin.get(where)).body.data.results).toEqual(added)
    const { ruleId } = added[0]
    const off = await admin.put(`${where}/${ruleId}`, { ruleId, isEnabled: false })
    expect(off.body).toMatchObject({ status: 'success', data: { ruleId, regex: 'one', isEnabled: false, isMatchExactWord: true } })
    // Added again, a rule that is switched off stays off.
    expect((await admin.post(where, { regexs: ['one'] })).body.data.results).toMatchObject([{ isEnabled: false, isMatchExactWord: true }])
    expect((await admin.put(`${where}/unknown`, { isEnabled: true })).status).toBe(404)
    expect((await admin.put(`${where}/${ruleId}`, {})).status).toBe(422)
  })

  it('take rules of 1 to 500 characters, 100 at once, and only true patterns', async () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `word${i}`)
    expect((await block(['x'.repeat(500)])).status).toBe(200)
    expect((await block(['x'.repeat(501)])).status).toBe(422)
    expect((await block([''])).status).toBe(422)
    expect((await block(many(100))).status).toBe(200)
    expect((await block(many(101))).status).toBe(422)
    expect((await block([])).status).toBe(200)
    expect(await outcome(block(['fine', '(']))).toEqual([400, 400000])
    expect(await patterns()).not.toContain('fine')
  })

  it('are for admins', async () => {
    const tried = await Promise.all([
      alice.get(blocks),
      alice.post(blocks, { regexs: ['x'] }),
      alice.get('/api/v2/whitelist/records'),
      alice.put('/api/v2/blacklist/records', { regexs: [] }),
      alice.delete('/v1/blacklist/records?ruleIds[]=x'),
      alice.put('/api/v2/blacklist/records/x', { isEnabled: true }),
      alice.get(settings),
      alice.put(settings, { maxRepetition: 1 }),
    ])
    expect(tried.map(({ status, body }) => [status, body.code])).toEqual(tried.map(() => [403, 400301]))
  })
}) // prettier-ignore

describe('blocked words', () => {
  beforeEach(empty)
  afterEach(empty)

  it('are refused in comments, at once and until they are allowed again', async () => {
    expect(await outcome(say('so bad'))).toBe(200)
    await block(['bad'])
    expect(await outcome(say('so BAD'))).toEqual([403, 400308])
    const { commentId } = await createComment(alice, postId)
    expect(await outcome(alice.put(path(commentId), { data: { text: 'bad' } }))).toEqual([403, 400308])
    expect(await outcome(say('', { data: { text: 'x', title: 'bad' } }))).toEqual([403, 400308])
    const [rule] = (await admin.get(blocks)).body.results
    await admin.put(`/api/v2/blacklist/records/${rule.ruleId}`, { isEnabled: false })
    expect(await outcome(say('so bad'))).toBe(200)
  })

  it('leave nothing written', async () => {
    await block(['bad'])
    const count = async () => (await alice.get(`/api/v3/posts/${postId}`)).body.posts[0].commentsCount
    const before = await count()
    await say('bad', { commentId: 'refused' })
    expect(await count()).toBe(before)
    expect((await alice.get(path('refused'))).status).toBe(404)
  })

  it('are told of before anything is written', async () => {
    await block(['bad', 'w[o0]rse'])
    const verify = (data: unknown) => outcome(alice.post(`${blocks}/verify`, { data }))
    expect(await verify(['fine'])).toBe(200)
    expect(await verify(['fine', 'W0RSE'])).toEqual([403, 400308])
    expect((await alice.post(`${blocks}/verify`, { data: ['fine'] })).body).toEqual({ success: true })
    expect(await verify(Array.from({ length: 10 }, () => 'x'.repeat(500)))).toBe(200)
    expect(await verify(Array.from({ length: 11 }, () => 'x'))).toEqual([422, 500000])
    expect(await verify(['x'.repeat(501)])).toEqual([422, 500000])
    expect(await verify([])).toEqual([422, 500000])
    expect(await verify('bad')).toEqual([422, 500000])
  })

  it('may be patterns that take for ever: the text is refused, and the server goes on', async () => {
    await block(['^(a+)+$'])
    const evil = `${'a'.repeat(60)}!`
    const stuck = say(evil)
    const other = alice.get(path('nothing'))
    expect(await Promise.race([stuck, other])).toBe(await other)
    const { status, body } = await stuck
    expect([status, body.code, body.data.detail]).toEqual([403, 400308, ['it could not be checked in time']])
    expect(await outcome(say('fine'))).toBe(200)
  })
})

describe('the allow list', () => {
  const enable = (isWhitelistEnabled: boolean) =>
    admin.put('/api/v3/network-settings/moderation', { isWhitelistEnabled })
  beforeEach(empty)
  afterEach(() => enable(false))

  it('refuses links that are not on it, only while it is switched on', async () => {
    const link = { links: [{ url: 'https://evil.example' }] }
    await admin.post(allows, { regexs: ['good.example'] })
    expect(await outcome(say('x', link))).toBe(200)
    expect(await outcome(alice.post(`${allows}/verify`, { data: ['https://evil.example'] }))).toBe(200)
    await enable(true)
    expect(await outcome(say('x', link))).toEqual([403, 400309])
    expect(await outcome(say('see https://evil.example/x'))).toEqual([403, 400309])
    expect(await outcome(say('see https://good.example/x', { links: [{ url: 'good.example' }] }))).toBe(200)
    expect(await outcome(alice.post(`${allows}/verify`, { data: ['https://evil.example'] }))).toEqual([
      403, 400309,
    ])
    expect(await outcome(alice.post(`${allows}/verify`, { data: ['https://good.example'] }))).toBe(200)
    await admin.put('/api/v2/whitelist/records', { regexs: ['.*\\.example'] })
    expect(await outcome(say('x', link))).toBe(200)
    await enable(false)
    await empty()
    expect(await outcome(say('x', link))).toBe(200)
  })

  it('without rules allows no link, and judges no more than 500', async () => {
    await enable(true)
    expect(await outcome(say('no link'))).toBe(200)
    expect(await outcome(say('www.a.example'))).toEqual([403, 400309])
    await admin.post(allows, { regexs: ['.*'] })
    const links = (n: number) => Array.from({ length: n }, (_, i) => `https://a.example/${i}`).join(' ')
    expect(await outcome(say(links(500)))).toBe(200)
    expect(await outcome(say(links(501)))).toEqual([403, 400309])
  })
})

describe('the settings', () => {
  const none = { maxRepetition: 0, maxRepetitionTimeout: 0, blacklistMuteTimeout: 0, whitelistMuteTimeout: 0, maxRepetitionMuteTimeout: 0 }
  const set = (changes: Record<string, unknown>) => admin.put(settings, changes)
  afterEach(async () => {
    setClock()
    await set(none)
    await empty()
  })

  it('are kept, one by one', async () => {
    const { body } = await admin.get(settings)
    const scores = { nudity: 0, suggestive: 0, violence: 0, disturbing: 0 }
    expect(body).toMatchObject({ status: 'success', data: { ...none, enableImageModeration: false, imageModeration: scores } })
    expect((await set({ maxRepetition: 3, imageModeration: { nudity: 0.5 } })).body).toEqual({ status: 'success', code: '200' })
    await set({ maxRepetitionTimeout: 4 })
    expect((await admin.get(settings)).body.data).toMatchObject({ ...none, maxRepetition: 3, maxRepetitionTimeout: 4, imageModeration: { ...scores, nudity: 0.5 } })
    expect((await set({ maxRepetition: -1 })).status).toBe(422)
    expect((await set({ maxRepetition: 1.5 })).status).toBe(422)
    expect((await set({ imageModeration: { nudity: -1 } })).status).toBe(422)
    // Nothing here looks at pictures, and the server does not pretend to.
    expect(await outcome(set({ enableImageModeration: true }))).toEqual([400, 400000])
  })

  it('limit how often one says the same within a time', async () => {
    await set({ maxRepetition: 2, maxRepetitionTimeout: 60_000 })
    expect(await outcome(say('Again'))).toBe(200)
    expect(await outcome(say('again '))).toBe(200)
    expect(await outcome(say('AGAIN'))).toEqual([403, 400307])
    expect(await outcome(say('another thing'))).toBe(200)
    const { commentId } = await createComment(admin, postId, { data: { text: 'again' } })
    expect(await outcome(admin.put(path(commentId), { data: { text: 'again' } }))).toBe(200)
    const later = now().getTime() + 61_000
    setClock(() => later)
    expect(await outcome(say('again'))).toBe(200)
  })

  it('count repetitions at the same time', async () => {
    await set({ maxRepetition: 3, maxRepetitionTimeout: 60_000 })
    const all = await Promise.all(Array.from({ length: 8 }, () => say('all at once')))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(3)
  })

  it.each<[string, Record<string, number>, () => Promise<unknown>, number]>([
    ['a blocked word', { blacklistMuteTimeout: 60_000 }, () => block(['worst']), 400308],
    ['a link', { whitelistMuteTimeout: 60_000 }, () => admin.put('/api/v3/network-settings/moderation', { isWhitelistEnabled: true }), 400309],
    ['a repetition', { maxRepetition: 1, maxRepetitionTimeout: 60_000, maxRepetitionMuteTimeout: 60_000 }, () => say('worst https://evil.example'), 400307],
  ])('make who wrote %s silent for a while, and nobody else', async (_what, changes, prepare, code) => {
    await server.app.db.deleteFrom('moderationMutes').execute()
    await server.app.db.deleteFrom('moderationRepetitions').execute()
    await set(changes)
    await prepare()
    expect(await outcome(say('worst https://evil.example'))).toEqual([403, code])
    expect(await outcome(say('something else'))).toEqual([403, 400302])
    expect((await createComment(admin, postId, { data: { text: 'I may' } })).isDeleted).toBe(false)
    const later = now().getTime() + 61_000
    setClock(() => later)
    expect(await outcome(say('something else'))).toBe(200)
    await admin.put('/api/v3/network-settings/moderation', { isWhitelistEnabled: false })
  })
}) // prettier-ignore

describe('every kind of writing', () => {
  afterEach(empty)

  const kinds: Record<string, () => Promise<(text: string) => Promise<{ status: number; body: { code?: number } }>>> = {
    'a comment': async () => say,
    'a post': async () => (text) => alice.post('/api/v4/posts', { data: { text } }),
    "a post's title": async () => (text) => alice.post('/api/v4/posts', { data: { title: text, text: 'x' } }),
    'an edited post': async () => {
      const own = await createPost(alice)
      return (text) => alice.put(`/api/v4/posts/${own.postId}`, { data: { text } })
    },
    'a message': async () => {
      const { channelId } = await createChannel(alice, { type: 'community' })
      return (text) => alice.post('/api/v3/messages', { channelId, data: { text } })
    },
    'a message in a feed': async () => {
      const { channelInternalId } = await createChannel(alice, { type: 'community' })
      return (text) => alice.post('/api/v5/messages', { messageFeedId: channelInternalId, dataType: 'text', data: { text } })
    },
    'an edited message': async () => {
      const { channelId } = await createChannel(alice, { type: 'community' })
      const { messageId } = await sayInChannel(alice, channelId, 'fine')
      return (text) => alice.put(`/api/v5/messages/${messageId}`, { data: { text } })
    },
  } // prettier-ignore

  it.each(Object.keys(kinds))('is checked: %s', async (kind) => {
    const write = await kinds[kind]!()
    await block(['forbidden'])
    expect(await outcome(write('a forbidden thing'))).toEqual([403, 400308])
    expect(await outcome(write('a fine thing'))).toBe(200)
  })
})
