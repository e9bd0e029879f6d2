import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommunity } from '../../../test/factories/communities.ts'
import {
  createComment,
  createPost,
  inCommunity,
  path,
  react,
  uploadPicture,
} from '../../../test/factories/posts.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let people: TestClient[]
let communityId: string
beforeAll(async () => {
  server = await startTestServer()
  people = await Promise.all(['mia', 'alice', 'bob', 'carol'].map((name) => server.as(name)))
  communityId = (await createCommunity(people[0]!, { userIds: ['alice', 'bob', 'carol'] })).communityId
})
afterAll(() => server.close())

/** Every counter that a recount contradicts. */
async function findDrift(): Promise<unknown[]> {
  const { rows } = await sql`
    with living as (select * from posts where not is_deleted)
    select 'feed' as counter, feeds.id, post_count as told,
      (select count(*) from living where feed_id = feeds.id and parent_post_id is null)::int as counted from feeds
    union all select 'posts', communities.id, posts_count, (select count(*) from living
      where target_id = communities.id and parent_post_id is null and feed_type = 'published')::int from communities
    union all select 'flagged posts', communities.id, flagged_posts_count, (select count(*) from living
      where target_id = communities.id and flag_count > 0)::int from communities
    union all select 'flags', posts.id, flag_count, (select count(*) from flags
      where reference_type = 'post' and reference_id = posts.id)::int from posts
    union all select 'flagged children', posts.id, flagged_children_count, (select count(*) from living child
      where child.parent_post_id = posts.id and child.flag_count > 0)::int from living posts
    union all select 'reactions', posts.id, reactions_count, (select count(*) from reactions
      where reference_type = 'post' and reference_id = posts.id)::int from posts
    union all select 'comments', posts.id, comments_count, (select count(*) from comments
      where reference_type = 'post' and reference_id = posts.id and not is_deleted)::int from living posts
    union all select 'children', posts.id, cardinality(children), (select count(*) from living child
      where child.parent_post_id = posts.id)::int from living posts
    union all select 'hashtags', posts.id, (select count(*) from post_hashtags where post_id = posts.id)::int,
      case when is_deleted or feed_type <> 'published' then 0 else cardinality(hashtags) end from posts
  `.execute(server.app.db)
  return (rows as { told: number; counted: number }[]).filter(({ told, counted }) => told !== counted)
}

// The same numbers on every run (mulberry32).
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

it('equals a recount after many things happened at once', async () => {
  const random = seeded(7)
  const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!
  const [mia] = people as [TestClient]
  const fileId = await uploadPicture(mia)
  const posts: string[] = []
  const acts: (() => Promise<unknown>)[] = [
    async () => {
      const fields = {
        ...(random() < 0.7 && inCommunity(communityId)),
        ...(random() < 0.5 && { attachments: [{ type: 'image', fileId }, { type: 'image', fileId }] }),
        hashtags: ['a', `b${posts.length}`],
      }
      const { postId, children } = await createPost(pick(people), fields)
      posts.push(postId, ...children)
    },
    () => react(pick(people), pick(posts), pick(['like', 'love'])),
    () => pick(people).delete('/api/v2/reactions', { referenceType: 'post', referenceId: pick(posts), reactionName: 'like' }),
    () => createComment(pick(people), pick(posts)).catch(() => null),
    () => pick(people).post(path(pick(posts), '/flag')),
    () => pick(people).delete(path(pick(posts), '/unflag')),
    () => mia.delete(path(pick(posts), '/flags')),
    () => pick(people).put(path(pick(posts)), { attachments: random() < 0.5 ? [] : [{ type: 'image', fileId }], text: 'x' }),
    () => pick(people).delete(`${path(pick(posts))}?permanent=${random() < 0.3}`),
    () => mia.put(`/api/v3/communities/${communityId}`, { needApprovalOnPostCreation: random() < 0.5 }),
    () => mia.post(path(pick(posts), pick(['/approve', '/decline']))),
  ] // prettier-ignore
  for (let i = 0; i < 4; i++) await acts[0]!()
  for (let round = 0; round < 30; round++) {
    await Promise.all(Array.from({ length: 6 }, () => pick(acts)()))
  }
  expect(await findDrift()).toEqual([])
  const { rows } = await sql`select 1 from posts where is_deleted limit 1`.execute(server.app.db)
  expect(rows).toHaveLength(1)
})

it('ends in one state when a post is deleted while it is answered', async () => {
  const [mia, alice, bob, carol] = people as [TestClient, TestClient, TestClient, TestClient]
  for (let round = 0; round < 5; round++) {
    const { postId } = await createPost(alice, inCommunity(communityId))
    const answers = await Promise.all([
      react(bob, postId),
      createComment(carol, postId).catch(() => null),
      alice.delete(path(postId)),
      mia.delete(path(postId)),
      bob.post(path(postId, '/flag')),
      alice.put(path(postId), { text: 'y' }),
    ])
    expect(
      answers.every((answer) => !answer || !('status' in answer) || (answer.status as number) < 500),
    ).toBe(true)
  }
  expect(await findDrift()).toEqual([])
})
