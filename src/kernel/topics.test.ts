import { describe, expect, it } from 'vitest'
import type { Db } from './database.ts'
import { createTopicPolicy } from './topics.ts'
import type { Viewer } from './viewer.ts'

const viewer: Viewer = {
  id: 'me',
  userId: 'alice',
  kind: 'signed-in',
  roles: [],
  permissions: new Set(),
  sessionId: 's',
}
const allowed = createTopicPolicy([
  { pattern: 'user/:id', allow: (_db, me, { id }) => id === me.id },
  { pattern: 'social/community/:id', allow: (_db, _me, { id }) => id === 'open' },
  { pattern: 'membership/:to/:from', allow: (_db, me, { to, from }) => to === me.id || from === me.id },
])

describe('who may subscribe', () => {
  it.each([
    ['hubbub', true],
    ['hubbub/#', false],
    ['#', false],
    ['other/user/me', false],
    ['hubbub/user/me', true],
    ['hubbub/user/you', false],
    ['hubbub/user/+', false],
    ['hubbub/social/community/open', true],
    ['hubbub/social/community/open/post/+/comment/+', true],
    ['hubbub/social/community/open/#', true],
    ['hubbub/social/community/closed/#', false],
    ['hubbub/social/community/#', false],
    ['hubbub/social/+/open', false],
    ['hubbub/membership/+/me/+', true],
    ['hubbub/membership/you/+/+', false],
    ['hubbub/nothing/here', false],
  ])('%s: %s', async (filter, expected) => {
    expect(await allowed(undefined as unknown as Db, viewer, filter)).toBe(expected)
  })
})
