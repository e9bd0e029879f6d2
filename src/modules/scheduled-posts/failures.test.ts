import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCommunity, join, path as communityPath } from '../../../test/factories/communities.ts'
import { inCommunity, readPost, uploadPicture } from '../../../test/factories/posts.ts'
import { moveClock, resetClock } from '../../../test/harness/clock.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { newId } from '../../platform/ids.ts'
import { now } from '../../platform/clock.ts'

let server: TestServer
let admin: TestClient
let author: TestClient
let communityId: string

beforeAll(async () => {
  server = await startTestServer()
  admin = await server.asAdmin()
})
afterAll(() => server.close())
beforeEach(async () => {
  author = await server.as(`author-${newId()}`)
  communityId = (await createCommunity(admin)).communityId
  await join(author, communityId)
})
afterEach(async () => {
  resetClock()
  await server.app.db.deleteFrom('scheduledPosts').execute()
})

const path = '/api/v1/posts/schedule'
const hour = 3_600_000

async function schedule(client: TestClient, postData: object, hours = 2) {
  const scheduledAt = new Date(now().getTime() + hours * hour).toISOString()
  const { status, body } = await client.post(path, { scheduledAt, postData })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data[0]
}

async function read(id: string) {
  return (await admin.get(`${path}/${id}`)).body.data?.[0]
}

const must = async (answer: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await answer
  if (status !== 200) throw new Error(JSON.stringify(body))
}

interface Case {
  name: string
  postData?(): Promise<object>
  happens(): Promise<void>
  says: RegExp
}

let fileId = ''
let pollId = ''
const cases: Case[] = [
  {
    name: 'the author is banned from the network',
    happens: () => must(admin.post('/api/v2/users/ban', { userId: author.userId })),
    says: /banned from this network/,
  },
  {
    name: 'the author is deleted',
    happens: () => must(admin.delete(`/api/v4/users/${author.userId}`)),
    says: /deleted/,
  },
  {
    name: 'the author is no member any more',
    happens: () => must(author.delete(communityPath(communityId, '/leave'))),
    says: /members/,
  },
  {
    name: 'the author is banned from the community',
    happens: () => must(admin.put(communityPath(communityId, '/users/ban'), { userIds: [author.userId] })),
    says: /banned/,
  },
  {
    name: 'the community is gone',
    happens: () => must(admin.delete(communityPath(communityId))),
    says: /not there any more/,
  },
  {
    name: 'only moderators may post by now',
    happens: () => must(admin.put(communityPath(communityId), { onlyAdminCanPost: true })),
    says: /moderators/,
  },
  {
    name: 'a file is gone',
    async postData() {
      fileId = await uploadPicture(author)
      return { attachments: [{ fileId, type: 'image' }] }
    },
    happens: () => must(author.delete(`/api/v3/files/${fileId}`)),
    says: /no such object.*file/,
  },
  {
    name: 'the poll is gone',
    async postData() {
      const answers = [{ data: 'a' }, { data: 'b' }]
      const { body } = await author.post('/api/v3/polls', {
        question: 'Which?',
        answers,
        answerType: 'single',
      })
      pollId = body.polls[0].pollId
      return { dataType: 'poll', data: { text: 'Which?', pollId } }
    },
    happens: () => must(author.delete(`/api/v3/polls/${pollId}`)),
    says: /no such object.*poll/,
  },
  {
    name: 'its words are blocked by now',
    postData: async () => ({ data: { text: 'forbiddenword' } }),
    happens: () => must(admin.post('/api/v2/blacklist/records', { regexs: ['forbiddenword'] })),
    says: /blocked word/,
  },
  {
    name: 'another post has its id',
    postData: async () => ({ data: { text: 'x' }, postId: 'abcabcabcabcabcabcabcabc' }),
    happens: () =>
      must(author.post('/api/v4/posts', { data: { text: 'y' }, postId: 'abcabcabcabcabcabcabcabc' })),
    says: /id exists/,
  },
]

describe('a post that cannot appear', () => {
  it.each(cases)('because $name says so, and holds up no other', async ({ postData, happens, says }) => {
    const one = await schedule(author, {
      data: { text: 'x' },
      ...inCommunity(communityId),
      ...(await postData?.()),
    })
    const other = await schedule(admin, { data: { text: 'other' } }, 3)
    await happens()
    await moveClock(server, 4 * hour)
    expect(await read(one._id)).toMatchObject({
      status: { code: 'FAIL', description: expect.stringMatching(says) },
    })
    expect((await read(other._id)).status.code).toBe('DONE')
    expect(await readPost(admin, other.postData.postId)).toBeDefined()
  })

  it('may be given a new time', async () => {
    const one = await schedule(author, { data: { text: 'x' }, ...inCommunity(communityId) })
    await must(author.delete(communityPath(communityId, '/leave')))
    await moveClock(server, 3 * hour)
    expect((await author.put(`${path}/${one._id}`, { postData: { data: { text: 'y' } } })).status).toBe(409)
    await join(author, communityId)
    const scheduledAt = new Date(now().getTime() + 2 * hour).toISOString()
    await must(author.put(`${path}/${one._id}`, { scheduledAt }))
    expect((await read(one._id)).status.code).toBe('WAIT')
    await moveClock(server, 3 * hour)
    expect((await read(one._id)).status.code).toBe('DONE')
  })

  it('is tried again for a while when nobody foresaw why, and then given up', async () => {
    const one = await schedule(author, { data: { text: 'x' } })
    await server.app.db
      .updateTable('scheduledPosts')
      .set({ postData: JSON.stringify({ data: { text: 'x' }, mentionees: 5 }) })
      .where('id', '=', one._id)
      .execute()
    const other = await schedule(author, { data: { text: 'other' } }, 3)
    await moveClock(server, 4 * hour)
    expect((await read(other._id)).status.code).toBe('DONE')
    expect((await read(one._id)).status.code).toBe('WAIT')
    for (let attempt = 2; attempt <= 5; attempt++) await moveClock(server, hour / 10)
    expect((await read(one._id)).status).toMatchObject({ code: 'FAIL', description: /went wrong/ })
  })

  it('goes with all other posts of a person who is deleted with them', async () => {
    const one = await schedule(author, { data: { text: 'x' } })
    await must(admin.delete(`/api/v4/users/${author.userId}?hardDeletePost=true`))
    expect(await read(one._id)).toBeUndefined()
  })
})
