import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createPost } from '../../../test/factories/posts.ts'
import { moveClock, resetClock } from '../../../test/harness/clock.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'
import { newId } from '../../platform/ids.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ HUBBUB_VISITOR_DAILY_READS: '100' })
})
afterAll(() => server.close())
beforeEach(async () => void (await server.app.db.deleteFrom('files').execute()))
afterEach(() => resetClock())

const day = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * day)

/** A visitor or bot who came for the first time so many days ago; what they call the server with. */
async function guest(days: number, kind = 'visitor') {
  const answer = await server.app.http.inject({
    method: 'POST',
    url: `/api/v5/sessions/${kind}`,
    headers: { 'x-api-key': server.apiKey },
    payload: { deviceId: newId() },
  })
  const { accessToken, users } = answer.json()
  const id = users[0]._id as string
  await server.app.db
    .updateTable('users')
    .set({ createdAt: daysAgo(days) })
    .where('id', '=', id)
    .execute()
  return { id, authorization: `Bearer ${accessToken}` }
}

/** Makes the sessions of a user expire so many days ago. */
async function expire(userId: string, days: number): Promise<void> {
  await server.app.db
    .updateTable('sessions')
    .set({ expiresAt: daysAgo(days) })
    .where('userId', '=', userId)
    .execute()
}

const exists = async (table: 'users' | 'sessions', column: 'id' | 'userId', value: string) =>
  (
    await server.app.db
      .selectFrom(table)
      .select('id')
      .where(column as 'id', '=', value)
      .execute()
  ).length > 0

const anHourLater = () => moveClock(server, 3_700_000)

it('forgets visitors and bots who have not come for 60 days, with all that only says they were here', async () => {
  const post = await createPost(await server.as('alice'))
  const [old, bot] = [await guest(61), await guest(61, 'bot')]
  await server.app.db
    .insertInto('contentViews')
    .values({ contentType: 'post', contentId: post.postId, userId: old.id, firstViewedAt: new Date() })
    .execute()
  await server.app.http.inject({
    url: `/api/v3/posts/${post.postId}`,
    headers: { authorization: old.authorization },
  })
  for (const { id } of [old, bot]) await expire(id, 31)
  await anHourLater()
  await anHourLater()
  for (const { id } of [old, bot]) expect(await exists('users', 'id', id)).toBe(false)
  expect(
    await server.app.db.selectFrom('visitorReads').select('userId').where('userId', '=', old.id).execute(),
  ).toEqual([])
})

it('keeps those who came lately, those who are young, and people', async () => {
  const [lately, young] = [await guest(100), await guest(59)]
  const bob = await server.as('bob')
  await expire(young.id, 31)
  await expire(bob.id, 31)
  await server.app.db
    .updateTable('users')
    .set({ createdAt: daysAgo(100) })
    .where('id', '=', bob.id)
    .execute()
  await anHourLater()
  await anHourLater()
  for (const id of [lately.id, young.id, bob.id]) expect(await exists('users', 'id', id)).toBe(true)
})

it('keeps a guest who is named somewhere, and forgets the others', async () => {
  const [named, other] = [await guest(61), await guest(61)]
  const at = new Date()
  await server.app.db
    .insertInto('files')
    .values({
      id: newId(),
      userId: named.id,
      type: 'file',
      objectKey: newId(),
      name: 'a',
      extension: 'txt',
      mimeType: 'text/plain',
      size: 1,
      createdAt: at,
      updatedAt: at,
    })
    .execute()
  for (const { id } of [named, other]) await expire(id, 31)
  await anHourLater()
  await anHourLater()
  expect(await exists('users', 'id', named.id)).toBe(true)
  expect(await exists('users', 'id', other.id)).toBe(false)
})

it('keeps sessions for 30 days after they expired', async () => {
  const [carol, dave] = [await server.as('carol'), await server.as('dave')]
  await expire(carol.id, 31)
  await expire(dave.id, 29)
  await anHourLater()
  expect(await exists('sessions', 'userId', carol.id)).toBe(false)
  expect(await exists('sessions', 'userId', dave.id)).toBe(true)
})
