import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import { createTypingSignal } from './actions.ts'
import { TypingBody } from './schema.ts'

export function typingRoutes({ grouped }: Routes): void {
  const signal = createTypingSignal()
  // Nothing is written, so there is no transaction.
  grouped(
    'POST',
    '/api/v1/typing',
    {
      summary: 'Say that the user types, or stopped',
      tag: 'Message',
      body: TypingBody,
      answers: { schema: Success },
    },
    async (db, { viewer, body }) => {
      await signal(db, viewer, body)
      return { body: { success: true } }
    },
  )
}
