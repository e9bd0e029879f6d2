import { paths } from '../../kernel/paths.ts'
import { defineEvent, type WebhookForm } from '../../kernel/outbox/event.ts'
import { shape } from '../../kernel/envelope/shape.ts'

export interface UserSubject {
  id: string
}

const form = {
  shape: shape('users', 'files'),
  roots: ({ id }: UserSubject) => ({ users: [id] }),
}
const audiences = ({ id }: UserSubject) => [paths.user(id)]
const webhook = (name: string): WebhookForm<UserSubject>[] => [{ name, ...form }]

export const userCreated = defineEvent<UserSubject>({
  name: 'user.created',
  audiences: () => [],
  realtime: null,
  webhooks: webhook('user.didCreate'),
})

export const userUpdated = defineEvent<UserSubject>({
  name: 'user.updated',
  audiences,
  realtime: form,
  webhooks: webhook('user.didUpdate'),
})
