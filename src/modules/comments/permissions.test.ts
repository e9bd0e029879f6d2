import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createComment, createPost, path } from '../../../test/factories/comments.ts'
import { createCommunity, path as communityPath } from '../../../test/factories/communities.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

const people = ['author', 'member', 'outsider', 'banned', 'community moderator', 'moderator', 'super moderator', 'global admin'] as const // prettier-ignore
const acts = [
  'read',
  'comment',
  'answer',
  'edit',
  'delete',
  'remove',
  'flag',
  'clear flags',
  'react',
] as const
type Act = (typeof acts)[number]

// Who may, `+` or not, for each of the people in turn. In a community the network's moderators moderate without being
// members; to say something of one's own one must be one. The page is the member's, and content the app's: roles in a
// community mean nothing there.
const may: Record<Act, [inCommunity: string, elsewhere: string]> = {
  'read':        ['++++++++', '++++++++'],
  'comment':     ['++--+---', '++++++++'],
  'answer':      ['++--+---', '++++++++'],
  'edit':        ['+---++++', '+----+++'],
  'delete':      ['+---++++', '+----+++'],
  'remove':      ['+---++++', '+----+++'],
  'flag':        ['++++++++', '++++++++'],
  'clear flags': ['----++++', '-----+++'],
  'react':       ['++--+---', '++++++++'],
} // prettier-ignore
const statusesOf = (marks: string) => [...marks].map((mark) => (mark === '+' ? 200 : 403))

let server: TestServer
const clients = new Map<string, TestClient>()
let references: Record<string, { referenceType: string; referenceId: string }>
beforeAll(async () => {
  server = await startTestServer()
  for (const person of people) clients.set(person, await server.as(person))
  const admin = await server.asAdmin()
  const roles = {
    moderator: 'moderator',
    'super moderator': 'super-moderator',
    'global admin': 'global-admin',
  }
  for (const [person, role] of Object.entries(roles)) {
    expect((await admin.put('/api/v3/users/', { userId: person, roles: [role] })).status).toBe(200)
  }
  const member = clients.get('member')!
  const { communityId } = await createCommunity(admin, {
    userIds: ['author', 'member', 'banned', 'community moderator'],
  })
  const moderator = { roles: ['community-moderator'], userIds: ['community moderator'] }
  await admin.post(communityPath(communityId, '/users/roles', 'v4'), moderator)
  await admin.put(communityPath(communityId, '/users/ban'), { userIds: ['banned'] })
  const inside = await createPost(member, { targetType: 'community', targetId: communityId })
  references = {
    'in a community': { referenceType: 'post', referenceId: inside.postId },
    "on a person's page": { referenceType: 'post', referenceId: (await createPost(member)).postId },
    'on content': { referenceType: 'content', referenceId: 'an article' },
  }
}, 60_000)
afterAll(() => server.close())

/** Tries an act on a fresh comment of the author. */
async function attempt(client: TestClient, act: Act, where: string): Promise<number> {
  const on = { ...references[where], data: { text: 'x' } }
  const author = clients.get('author')!
  const { commentId } = await createComment(author, '', on)
  const answer = {
    'read': () => client.get(path(commentId)),
    'comment': () => client.post('/api/v3/comments', on),
    'answer': () => client.post('/api/v3/comments', { ...on, parentId: commentId }),
    'edit': () => client.put(path(commentId), { data: { text: 'y' } }),
    'delete': () => client.delete(path(commentId, '', 'v4')),
    'remove': () => client.delete(path(commentId, '?permanent=true', 'v4')),
    'flag': () => client.post(path(commentId, '/flag')),
    'clear flags': () => client.delete(path(commentId, '/flags')),
    'react': () => client.post('/api/v2/reactions', { referenceType: 'comment', referenceId: commentId, reactionName: 'like' }),
  } // prettier-ignore
  return (await answer[act]()).status
}

describe.each([
  ['in a community', 0],
  ["on a person's page", 1],
  ['on content', 1],
] as const)('a comment %s', (where, column) => {
  const expected = Object.fromEntries(acts.map((act) => [act, statusesOf(may[act][column])]))

  it('is open to whom the table says', async () => {
    const found: Record<string, number[]> = {}
    for (const act of acts) {
      found[act] = []
      for (const person of people) found[act].push(await attempt(clients.get(person)!, act, where))
    }
    const table = Object.fromEntries(
      acts.map((act) => [act, Object.fromEntries(people.map((person, i) => [person, found[act]![i] === 200 ? 'yes' : 'no']))]),
    ) // prettier-ignore
    console.log(`Comments ${where}: who may do what`)
    console.table(table)
    expect(found).toEqual(expected)
  }, 60_000)
})
