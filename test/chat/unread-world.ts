import type { TestAnswer } from '../harness/client.ts'
import { newMember, type ModelChannel } from './unread-model.ts'

/** What a person does: requests in their name. */
export interface Walker {
  get(path: string, query?: Record<string, unknown>): Promise<Answer>
  post(path: string, body?: object): Promise<Answer>
  put(path: string, body?: object): Promise<Answer>
  delete(path: string, body?: object): Promise<Answer>
}
type Answer = Pick<TestAnswer, 'status' | 'body'>

/** A small town that the walk goes through, and the model of it. */
export interface World {
  /** Everyone who walks; the moderator, who made the channels, only writes and keeps order. */
  people: string[]
  moderator: string
  channels: ModelChannel[]
  clients: Map<string, Walker>
  random(): number
  /** The clock that the server goes by, in ms. */
  time(): number
  pass(ms: number): void
}

export function pick<T>(world: World, from: readonly T[]): T | undefined {
  return from[Math.floor(world.random() * from.length)]
}

export const chance = (world: World, share: number) => world.random() < share
export const clientOf = (world: World, user: string) => world.clients.get(user)!
export const open = (world: World) => world.channels.filter((channel) => !channel.isDeleted)

/** The server must take or refuse an act as the model does. Answers the body when it took it. */
export function judged(answer: Answer, isAllowed: boolean, what: string) {
  const took = answer.status === 200
  if (took !== isAllowed || answer.status >= 500)
    throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}, allowed: ${isAllowed}`)
  return took ? answer.body : null
}

/** Makes a channel of the moderator's, empty of people, or a conversation of three. */
export async function addChannel(world: World, type: ModelChannel['type']): Promise<string> {
  const owner = type === 'conversation' ? pick(world, world.people)! : world.moderator
  const others = type === 'conversation' ? world.people.filter((user) => user !== owner).slice(0, 2) : []
  const path = type === 'conversation' ? '/api/v3/channels/conversation' : '/api/v3/channels'
  const given = type === 'conversation' ? { userIds: others, isDistinct: false } : { type }
  const answer = await clientOf(world, owner).post(path, { displayName: type, ...given })
  const { _id: id, channelId: publicId } = judged(answer, true, `new ${type}`).channels[0]
  world.channels.push({
    id,
    publicId,
    type,
    isMuted: false,
    isDeleted: false,
    feeds: [{ id, isDeleted: false }],
    messages: [],
    members: new Map([owner, ...others].map((user) => [user, newMember(0)])),
  })
  return `${owner} makes a ${type}`
}
