import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createComment, createPost, path } from '../../../test/factories/comments.ts'
import { createCommunity } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let crowd: TestClient[]
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  crowd = []
  for (let i = 0; i < 8; i++) crowd.push(await server.as(`crowd${i}`))
})
afterAll(() => server.close())

const react = (
  client: TestClient,
  commentId: string,
  method: 'post' | 'delete' = 'post',
  reactionName = 'like',
) => client[method]('/api/v2/reactions', { referenceType: 'comment', referenceId: commentId, reactionName })
const say = (client: TestClient, postId: string, parentId?: string) =>
  client.post('/api/v3/comments', { referenceId: postId, data: { text: 'x' }, parentId })
const codes = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))].sort()
const read = async (commentId: string) => (await alice.get(path(commentId))).body.comments[0]

/** Every counter that comments keep beside what a recount of the rows says: all that differ. */
async function drift(): Promise<unknown[]> {
  const { rows } = await sql`
    with counted as (
      select comments.id,
        (select count(*) from comments child where child.parent_id = comments.id and not child.is_deleted) as children,
        (select count(*) from reactions where reference_type = 'comment' and reference_id = comments.id) as reactions,
        (select coalesce(json_object_agg(name, n order by name), '{}')::jsonb from (
          select name, count(*) as n from reactions
          where reference_type = 'comment' and reference_id = comments.id group by name) named) as named,
        (select count(*) from flags where reference_type = 'comment' and reference_id = comments.id) as flags
      from comments
    )
    select 'comment' as what, comments.id from comments join counted using (id)
    where children_number <> children or reactions_count <> counted.reactions
      or comments.reactions::jsonb <> named or flag_count <> flags or (flag_count > 0) <> (hash_flag is not null)
    union all
    select 'post', posts.id from posts where not is_deleted and (
      comments_count <> (select count(*) from comments
        where reference_type = 'post' and reference_id = posts.id and not comments.is_deleted)
      or flagged_comments_count <> (select count(*) from comments
        where reference_type = 'post' and reference_id = posts.id and not comments.is_deleted and flag_count > 0))
    union all
    select 'community', communities.id from communities
    where flagged_comments_count <> (
      select count(*) from comments join posts on posts.id = comments.reference_id
      where comments.target_id = communities.id and not comments.is_deleted and comments.flag_count > 0
        and not posts.is_deleted)
    union all
    select 'segments', reference_id from comments group by reference_type, reference_id
    having count(distinct segment_number) <> count(*)
    union all
    select 'left behind', reference_id from (
      select reference_id from reactions where reference_type = 'comment'
      union all select reference_id from flags where reference_type = 'comment') kept
    where not exists (select from comments where comments.id = kept.reference_id)
    union all
    select 'living below the dead', child.id from comments child join comments parent on parent.id = child.parent_id
    where parent.is_deleted and not child.is_deleted`.execute(server.app.db)
  return rows
}

describe('at the same time', () => {
  it('one person reacts many times, and takes it back many times', async () => {
    const { commentId } = await createComment(alice, (await createPost(alice)).postId)
    const added = await Promise.all(Array.from({ length: 6 }, () => react(alice, commentId)))
    expect(codes(added)).toEqual([200])
    expect(new Set(added.map(({ body }) => body.addedId)).size).toBe(1)
    expect(await read(commentId)).toMatchObject({
      reactions: { like: 1 },
      reactionsCount: 1,
      myReactions: ['like'],
    })
    const removed = await Promise.all(Array.from({ length: 6 }, () => react(alice, commentId, 'delete')))
    expect(removed.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await read(commentId)).toMatchObject({ reactions: {}, reactionsCount: 0, myReactions: [] })
  })

  it('many people react, each with two names', async () => {
    const { commentId } = await createComment(alice, (await createPost(alice)).postId)
    await Promise.all(crowd.flatMap((one) => [react(one, commentId), react(one, commentId, 'post', 'love')]))
    expect(await read(commentId)).toMatchObject({ reactions: { like: 8, love: 8 }, reactionsCount: 16 })
  })

  it('people react to, answer and flag a comment that is removed', async () => {
    const { postId } = await createPost(alice)
    const { commentId } = await createComment(alice, postId)
    const answers = await Promise.all([
      ...crowd.slice(0, 3).map((one) => react(one, commentId)),
      ...crowd.slice(3, 6).map((one) => say(one, postId, commentId)),
      alice.delete(path(commentId, '?permanent=true', 'v4')),
      ...crowd.slice(6).map((one) => one.post(path(commentId, '/flag'))),
    ])
    expect(codes(answers).every((status) => [200, 404].includes(status))).toBe(true)
    expect((await alice.get(path(commentId))).status).toBe(404)
    expect(await drift()).toEqual([])
  })

  it('people comment on a post that is deleted', async () => {
    const { postId } = await createPost(alice)
    const answers = await Promise.all([
      ...crowd.slice(0, 4).map((one) => say(one, postId)),
      alice.delete(`/api/v4/posts/${postId}`),
      ...crowd.slice(4).map((one) => say(one, postId)),
    ])
    expect(codes(answers).every((status) => [200, 404].includes(status))).toBe(true)
    expect((await say(alice, postId)).status).toBe(404)
    const { commentsCount } = (await alice.get(`/api/v3/posts/${postId}`)).body.posts[0]
    expect(commentsCount).toBe(answers.filter(({ body }) => body.comments).length)
  })

  it('two say the same id', async () => {
    const { postId } = await createPost(alice)
    const twice = await Promise.all(
      crowd.map((one) =>
        one.post('/api/v3/comments', { referenceId: postId, commentId: 'mine', data: { text: 'x' } }),
      ),
    )
    expect(twice.map(({ status }) => status).sort()).toEqual([200, ...crowd.slice(1).map(() => 409)])
    expect(await drift()).toEqual([])
  })

  it('a thread is deleted from both ends', async () => {
    const { postId } = await createPost(alice)
    const top = await createComment(alice, postId)
    const answer = await createComment(alice, postId, { parentId: top.commentId })
    await Promise.all([top, answer, top, answer].map(({ commentId }) => alice.delete(path(commentId))))
    expect(await drift()).toEqual([])
  })
})

/** A small generator with a seed, so that a failing run can be repeated (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

it('keeps every counter true over hundreds of random steps of many people', async () => {
  const pick = random(20_261_121)
  const { communityId } = await createCommunity(alice, { userIds: crowd.map(({ userId }) => userId) })
  const posts: string[] = []
  for (let i = 0; i < 3; i++) {
    const where = i === 0 ? {} : { targetType: 'community', targetId: communityId }
    posts.push((await createPost(alice, where)).postId)
  }
  const made = new Set<string>()
  const any = <T>(list: T[]) => list[pick(list.length)]!
  const failures: number[] = []
  const step = async (): Promise<void> => {
    const { status, body } = await act()
    if (status >= 500) failures.push(status)
    if (status === 200 && body.comments) made.add(body.comments[0].commentId)
  }
  const act = () => {
    const who = any([alice, ...crowd])
    const id = made.size > 0 ? any([...made]) : ''
    const name = any(['like', 'love', 'wow'])
    const kind = pick(14)
    if (kind < 4 || id === '') return say(who, any(posts), id !== '' && pick(3) > 0 ? id : undefined)
    if (kind < 7) return react(who, id, 'post', name)
    if (kind < 8) return react(who, id, 'delete', name)
    if (kind < 10) return who.post(path(id, '/flag'))
    if (kind < 11) return who.delete(path(id, '/unflag'))
    if (kind < 12) return alice.delete(path(id, '/flags'))
    if (kind < 13) return who.delete(path(id))
    return who.delete(path(id, '?permanent=true', 'v4'))
  }
  for (let round = 0; round < 80; round++) await Promise.all(Array.from({ length: 8 }, step))
  expect(made.size).toBeGreaterThan(50)
  expect(failures).toEqual([])
  expect(await drift()).toEqual([])
}, 120_000)
