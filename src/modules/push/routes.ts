import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'

/** What a browser needs to subscribe; null while Web Push is off. */
export function pushRoutes({ read }: Routes, webPushKey: string | null): void {
  read(
    'GET',
    '/v1/notification/web-push-key',
    {
      summary: 'Read the key browsers subscribe with',
      tag: 'Notification',
      answers: { schema: Type.Object({ publicKey: Type.Union([Type.String(), Type.Null()]) }) },
    },
    async () => ({ body: { publicKey: webPushKey } }),
  )
}
