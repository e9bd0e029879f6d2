import type { Routes } from '../../kernel/http/routes.ts'
import { registerDevice, unregisterDevice } from './actions.ts'
import { Done, RegisterBody, UnregisterBody, UnregisterQuery } from './schema.ts'

const tag = 'Notification'
const path = '/v1/notification'
const done = { body: { status: 'success', data: {} } }

export function deviceRoutes({ write }: Routes): void {
  write(
    'POST',
    path,
    {
      summary: 'Register a device for push notifications',
      tag,
      body: RegisterBody,
      answers: { schema: Done },
    },
    async (tx, { viewer, body }) => {
      await registerDevice(tx, viewer, body)
      return done
    },
  )
  write(
    'DELETE',
    path,
    {
      summary: 'End push notifications to a device',
      tag,
      query: UnregisterQuery,
      body: UnregisterBody,
      answers: { schema: Done },
    },
    async (tx, { viewer, query, body }) => {
      await unregisterDevice(tx, viewer, query, body)
      return done
    },
  )
}
