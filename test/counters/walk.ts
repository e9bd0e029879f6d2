import { createClient, type TestAnswer, type TestClient } from '../harness/client.ts'
import type { TestServer } from '../harness/server.ts'

/** People, and the ids of what they made; also of what is long gone. */
export interface World {
  random: () => number
  admin: TestClient
  people: TestClient[]
  /** People who may be deleted: nobody else is. */
  leavers: TestClient[]
  communities: string[]
  posts: string[]
  comments: string[]
  stories: string[]
  /** A channel that everybody may join. */
  channelId: string
  messages: string[]
  events: string[]
  polls: { pollId: string; answers: string[] }[]
  pictures: string[]
  /** Posts that were to be reviewed when they were made. */
  waiting: string[]
  /** Who made a post, a comment, a story, a message or an event. */
  authors: Map<string, TestClient>
  /** Reactions that were given and may be taken back. */
  given: { who: TestClient; body: Reaction }[]
  signIn(userId: string): Promise<TestClient>
}

interface Reaction {
  referenceType: string
  referenceId: string
  reactionName: string
}

/** Something somebody does; most may be refused. */
export type Act = (world: World) => Promise<TestAnswer>

export function createWorld(server: TestServer, admin: TestClient, random: () => number): World {
  const nothing = {
    people: [],
    leavers: [],
    communities: [],
    posts: [],
    comments: [],
    stories: [],
    messages: [],
    events: [],
    polls: [],
  }
  const signIn = (userId: string) => createClient(server.url, server.apiKey, userId)
  const made = { pictures: [], waiting: [], authors: new Map(), given: [] }
  return { ...nothing, ...made, channelId: 'chat', random, admin, signIn }
}

const pick = <T>({ random }: World, items: readonly T[]): T => items[Math.floor(random() * items.length)]!
const chance = ({ random }: World, likelihood: number): boolean => random() < likelihood
// What is new is more often met than what is old.
const recent = <T>(world: World, items: readonly T[]): T =>
  chance(world, 0.7) ? pick(world, items.slice(-15)) : pick(world, items)
const somebody = (world: World): TestClient =>
  chance(world, 0.08) ? world.admin : pick(world, chance(world, 0.15) ? world.leavers : world.people)

async function keep(
  answer: Promise<TestAnswer>,
  take: (body: TestAnswer['body']) => void,
): Promise<TestAnswer> {
  const { status, body, ...rest } = await answer
  if (status === 200) take(body)
  return { status, body, ...rest }
}

const target = (world: World) =>
  chance(world, 0.7) ? { targetType: 'community', targetId: pick(world, world.communities) } : {}
const attachments = (world: World, most: number) =>
  Array.from({ length: Math.floor(world.random() * (most + 1)) }, () => ({
    type: 'image',
    fileId: pick(world, world.pictures),
  }))

const post: Act = (world) => {
  const who = somebody(world)
  return keep(
    who.post('/api/v4/posts', {
      ...target(world),
      data: { text: 'A post' },
      hashtags: chance(world, 0.5) ? ['one', 'two'] : [],
      attachments: chance(world, 0.4) ? attachments(world, 3) : [],
    }),
    ({ posts: [made] }) => {
      noteMade(world, who, 'posts', [made.postId, ...made.children])
      if (made.feedType === 'reviewing') world.waiting.push(made.postId)
    },
  )
}

/** Remembers what somebody made. */
function noteMade(
  world: World,
  who: TestClient,
  kind: 'posts' | 'comments' | 'stories' | 'messages' | 'events',
  ids: string[],
): void {
  world[kind].push(...ids)
  for (const id of ids) world.authors.set(id, who)
}

const onSomething = (world: World) => {
  const type = pick(world, ['post', 'post', 'post', 'comment', 'story', 'message'] as const)
  return { type, id: recent(world, world[kinds[type]]) }
}
const kinds = { post: 'posts', comment: 'comments', story: 'stories', message: 'messages' } as const

const comment: Act = (world) => {
  const isStory = chance(world, 0.15)
  const referenceId = recent(world, isStory ? world.stories : world.posts)
  const who = somebody(world)
  return keep(
    who.post('/api/v3/comments', {
      referenceType: isStory ? 'story' : 'post',
      referenceId,
      data: { text: 'A comment' },
      ...(chance(world, 0.1) && { parentId: recent(world, world.comments) }),
    }),
    ({ comments: [made] }) => noteMade(world, who, 'comments', [made.commentId]),
  )
}

/** An answer to a comment, wherever that is. */
const reply: Act = async (world) => {
  const parentId = recent(world, world.comments)
  const who = somebody(world)
  const found = await who.get(`/api/v3/comments/${parentId}`)
  const parent = found.body.comments?.[0]
  if (!parent) return found
  const { referenceType, referenceId } = parent
  return keep(
    who.post('/api/v3/comments', { referenceType, referenceId, parentId, data: { text: 'A reply' } }),
    ({ comments: [made] }) => noteMade(world, who, 'comments', [made.commentId]),
  )
}

const reaction = (world: World): Reaction => {
  const { type, id } = onSomething(world)
  return { referenceType: type, referenceId: id, reactionName: pick(world, ['like', 'love', 'constructor']) }
}

const flagPath = (world: World): { path: string; rest: [give: string, take: string, clear: string] } => {
  const { type, id } = onSomething(world)
  if (type === 'story' || type === 'message') {
    const version = { story: 'v4', message: 'v5' }[type]
    return { path: `/api/${version}/${kinds[type]}/${id}`, rest: ['/flags', '/flags', '/flags/all'] }
  }
  return { path: `/api/v3/${type}s/${id}`, rest: ['/flag', '/unflag', '/flags'] }
}

const story: Act = (world) => {
  const who = somebody(world)
  return keep(
    who.post('/api/v4/stories', {
      targetType: 'community',
      targetId: pick(world, world.communities),
      dataType: 'text',
      data: { text: 'A story' },
      referenceId: `story ${world.random()}`,
    }),
    ({ stories: [made] }) => noteMade(world, who, 'stories', [made.storyId]),
  )
}

const say: Act = (world) => {
  const who = somebody(world)
  const message = { channelId: world.channelId, type: 'text', data: { text: 'A message' } }
  return keep(
    who.post('/api/v3/messages', {
      ...message,
      ...(chance(world, 0.3) && { parentId: recent(world, world.messages) }),
    }),
    ({ messages: [made] }) => noteMade(world, who, 'messages', [made.messageId]),
  )
}

const event: Act = (world) => {
  const who = somebody(world)
  const origin = chance(world, 0.5)
    ? { originType: 'community', originId: pick(world, world.communities) }
    : { originType: 'user', originId: who.userId }
  return keep(
    who.post('/api/v1/events', {
      ...origin,
      title: 'An event',
      type: 'in_person',
      startTime: new Date(Date.now() + 86_400_000).toISOString(),
    }),
    ({ events: [made] }) => noteMade(world, who, 'events', [made.eventId]),
  )
}

const respond: Act = (world) =>
  somebody(world).post(`/api/v1/events/${recent(world, world.events)}/rsvp`, {
    status: pick(world, ['going', 'going', 'not_going']),
  })

const endEvent: Act = (world) => {
  const id = recent(world, world.events)
  const who = authorOf(world, id)
  const path = `/api/v1/events/${id}`
  return chance(world, 0.5) ? who.delete(path) : who.put(path, { status: 'cancelled' })
}

const poll: Act = async (world) => {
  const who = somebody(world)
  const answers = ['a', 'b', 'c'].map((data) => ({ dataType: 'text', data }))
  const answerType = pick(world, ['single', 'multiple'])
  const made = await who.post('/api/v3/polls', { question: 'Which?', answers, answerType })
  if (made.status !== 200) return made
  const [{ pollId, answers: given }] = made.body.polls
  world.polls.push({ pollId, answers: given.map(({ id }: { id: string }) => id) })
  return keep(
    who.post('/api/v4/posts', { ...target(world), dataType: 'poll', data: { text: 'Vote', pollId } }),
    ({ posts: [about] }) => noteMade(world, who, 'posts', [about.postId, ...about.children]),
  )
}

const vote: Act = (world) => {
  const { pollId, answers } = recent(world, world.polls)
  const answerIds = [pick(world, answers), ...(chance(world, 0.3) ? [pick(world, answers)] : [])]
  const path = `/api/v3/polls/${pollId}/votes`
  const who = somebody(world)
  return chance(world, 0.3) ? who.put(path, { answerIds }) : who.post(path, { answerIds })
}

const other = (world: World): string => pick(world, [...world.people, ...world.leavers]).userId
const community = (world: World) => `/api/v3/communities/${pick(world, world.communities)}`

const relate: Act = (world) => {
  const [method, path] = pick(world, [
    ['post', 'following'],
    ['post', 'following'],
    ['delete', 'following'],
    ['post', 'followers'],
    ['delete', 'followers'],
    ['post', 'user-blocks'],
    ['delete', 'user-blocks'],
    ['post', 'flags'],
    ['delete', 'flags'],
  ] as const)
  return somebody(world)[method](`/api/v4/me/${path}/${other(world)}`)
}

const member: Act = (world) => {
  const at = community(world)
  const who = somebody(world)
  const body = { userIds: [other(world), other(world)], role: 'community-moderator' }
  return pick(world, [
    () => who.post(`${at}/join`),
    () => who.post(`${at}/join`),
    () => who.delete(`${at}/leave`),
    () => world.admin.post(`${at}/users`, body),
    () => who.delete(`${at}/users`, body),
    () => who.put(`${at}/users/ban`, body),
    () => world.admin.put(`${at}/users/unban`, body),
    () => world.admin.post(`${at}/users/roles`, body),
    () => who.delete(`${at}/users/roles`, body),
  ])()
}

/** A user is deleted, one way or another, and somebody else comes. */
const leave: Act = async (world) => {
  const i = Math.floor(world.random() * world.leavers.length)
  const gone = world.leavers[i]!
  world.leavers[i] = await world.signIn(`leaver-${Math.floor(world.random() * 1e9)}`)
  const options = pick(world, [
    '',
    'deleteAll=true',
    'hardDeletePost=true',
    'hardDeletePost=true&hardDeleteComment=true',
  ])
  return world.admin.delete(`/api/v4/users/${gone.userId}?${options}`)
}

const view: Act = (world) => {
  const about = chance(world, 0.7)
    ? { contentType: 'post', contentId: recent(world, world.posts) }
    : { contentType: 'story', contentId: recent(world, world.stories) }
  const activities = [{ ...about, activityType: 'view', timestamp: new Date().toISOString() }]
  return somebody(world).post('/api/v1/analytics/activities', { activities })
}

// Most of what people change is their own.
const authorOf = (world: World, id: string): TestClient =>
  (chance(world, 0.7) && world.authors.get(id)) || somebody(world)

const react: Act = (world) => {
  const who = somebody(world)
  const body = reaction(world)
  return keep(who.post('/api/v2/reactions', body), () => world.given.push({ who, body }))
}

const unreact: Act = (world) => {
  const [taken] = world.given.splice(Math.floor(world.random() * world.given.length), 1)
  const { who, body } = taken ?? { who: somebody(world), body: reaction(world) }
  return who.delete('/api/v2/reactions', body)
}

const edit: Act = (world) => {
  const id = recent(world, world.posts)
  const body = {
    data: { text: 'Edited' },
    hashtags: ['three'],
    ...(chance(world, 0.5) && { attachments: attachments(world, 2) }),
  }
  return authorOf(world, id).put(`/api/v4/posts/${id}`, body)
}

const remove: Act = (world) => {
  const { type, id } = onSomething(world)
  const path = `/api/${type === 'message' ? 'v5' : 'v4'}/${kinds[type]}/${id}`
  // Authors delete, and those who may delete everything.
  const who = chance(world, 0.2) ? world.admin : authorOf(world, id)
  return who.delete(`${path}?permanent=${chance(world, 0.4)}`)
}

const settings: Act = (world) =>
  chance(world, 0.2)
    ? world.admin.put('/api/v3/network-settings/social', { isFollowWithRequestEnabled: chance(world, 0.5) })
    : world.admin.put(community(world), { needApprovalOnPostCreation: chance(world, 0.5) })

/** What may happen, and how often. */
export const acts: [name: string, weight: number, act: Act][] = [
  ['post', 10, post],
  ['comment', 12, comment],
  ['reply', 6, reply],
  ['story', 5, story],
  ['join the chat', 2, (world) => somebody(world).post(`/api/v3/channels/${world.channelId}/join`)],
  ['say', 8, say],
  ['event', 2, event],
  ['respond', 8, respond],
  ['end an event', 1, endEvent],
  ['poll', 2, poll],
  ['vote', 6, vote],
  ['react', 14, react],
  ['unreact', 7, unreact],
  ['flag', 9, (world) => { const { path, rest } = flagPath(world); return somebody(world).post(path + rest[0]) }],
  ['unflag', 4, (world) => { const { path, rest } = flagPath(world); return somebody(world).delete(path + rest[1]) }],
  ['clear flags', 2, (world) => { const { path, rest } = flagPath(world); return world.admin.delete(path + rest[2]) }],
  ['clear flags of a user', 1, (world) => world.admin.delete(`/api/v2/users/${other(world)}/flags`)],
  ['edit', 4, edit],
  ['edit a comment', 2, (world) => { const id = recent(world, world.comments); return authorOf(world, id).put(`/api/v3/comments/${id}`, { data: { text: 'Edited' } }) }],
  ['remove', 8, remove],
  ['review', 5, (world) => world.admin.post(`/api/v3/posts/${recent(world, world.waiting.length > 0 && chance(world, 0.8) ? world.waiting : world.posts)}${pick(world, ['/approve', '/approve', '/decline'])}`)],
  ['relate', 12, relate],
  ['member', 8, member],
  ['view', 6, view],
  ['settings', 1, settings],
  ['leave', 0.6, leave],
  ['delete a poll', 1.5, (world) => world.admin.delete(`/api/v3/polls/${recent(world, world.polls).pollId}`)],
] // prettier-ignore

const total = acts.reduce((sum, [, weight]) => sum + weight, 0)

/** One act by chance. */
export function someAct({ random }: World): { name: string; act: Act } {
  let at = random() * total
  const found = acts.find(([, weight]) => (at -= weight) < 0) ?? acts[0]!
  return { name: found[0], act: found[2] }
}
