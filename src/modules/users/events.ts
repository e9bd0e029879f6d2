import { paths } from '../../kernel/paths.ts'
import { defineEvent, type EventDefinition } from '../../kernel/outbox/event.ts'
import { shape } from '../../kernel/envelope/shape.ts'

export interface UserSubject {
  id: string
}

const form = {
  shape: shape('users', 'files'),
  roots: ({ id }: UserSubject) => ({ users: [id] }),
}

/** An event that the user's own topic carries, and a webhook where there is a name for one. */
function tellOf(name: string, webhook?: string, ends = false): EventDefinition<UserSubject> {
  return defineEvent<UserSubject>({
    name,
    audiences: ({ id }) => [paths.user(id)],
    realtime: form,
    webhooks: webhook === undefined ? [] : [{ name: webhook, ...form }],
    // Their connections hear of it first and are cut then.
    ...(ends && { access: ({ id }) => ({ userIds: [id] }) }),
  })
}

export const userCreated = defineEvent<UserSubject>({
  name: 'user.created',
  audiences: () => [],
  realtime: null,
  webhooks: [{ name: 'user.didCreate', ...form }],
})
export const userUpdated = tellOf('user.updated', 'user.didUpdate')
export const userDeleted = tellOf('user.deleted', undefined, true)
export const userFlagged = tellOf('user.flagged', 'user.didFlag')
export const userUnflagged = tellOf('user.unflagged', 'user.didUnflag')
export const userFlagCleared = tellOf('user.flagCleared', 'user.didClearFlag')
export const userGloballyBanned = tellOf('user.didGlobalBan', undefined, true)

export const userEvents = [
  userCreated,
  userUpdated,
  userDeleted,
  userFlagged,
  userUnflagged,
  userFlagCleared,
  userGloballyBanned,
]
