import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readSettings } from '../network-settings/index.ts'
import { findUsersById, findUsersByPublicId } from '../users/index.ts'
import type { Mentions } from './schema.ts'

/** Everyone whom mentions name, by public id or else by internal id. */
export async function resolveMentioned(db: Db, mentions: Mentions) {
  const named = [...new Set(namedIn(mentions))]
  if (named.length === 0) return { named, idOf: (id: string) => id }
  const publicly = new Map((await findUsersByPublicId(db, named)).map((user) => [user.userId, user.id]))
  return { named, idOf: (id: string) => publicly.get(id) ?? id }
}

/** Who an edited message mentions, by internal id. Fails with `notFound` for people who are not there. */
export async function findMentioned(db: Db, mentions: Mentions) {
  const { named, idOf } = await resolveMentioned(db, mentions)
  const ids = [...new Set(named.map(idOf))]
  const users = ids.length > 0 ? await findUsersById(db, ids) : []
  const known = new Set(users.filter((user) => !user.isDeleted).map((user) => user.id))
  const unknown = named.filter((id) => !known.has(idOf(id)))
  if (unknown.length > 0) fail('notFound', ...unknown.map((id) => `user ${id}`))
  const mentionsChannel = mentionsWholeChannel(mentions)
  if (mentionsChannel && !(await allowsChannelMentions(db))) fail('forbidden', channelMentionsOff)
  return { userIds: ids, mentionsChannel }
}

export function namedIn(mentions: Mentions): string[] {
  return mentions.flatMap(({ type, userIds = [] }) => (type === 'channel' ? [] : userIds))
}

export function mentionsWholeChannel(mentions: Mentions): boolean {
  return mentions.some((mention) => mention.type === 'channel')
}

export const channelMentionsOff = 'mentioning a whole channel is switched off'

export async function allowsChannelMentions(db: Db): Promise<boolean> {
  return (await readSettings(db, 'chat')).mention.isAllowMentionedChannelEnabled
}
