import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestClient } from './client.ts'
import { eventually } from './eventually.ts'
import { startApns, startFcm } from './push-services.ts'
import { startTestServer, type TestServer } from './server.ts'

/** A push as a device shows it. */
export interface ShownPush {
  token: string
  title: string
  body: string
  badge: number
  collapseKey: string
  data: Record<string, unknown>
}

/** A server that pushes to stand-ins of APNs and FCM. */
export interface PushWorld {
  server: TestServer
  apns: Awaited<ReturnType<typeof startApns>>
  fcm: Awaited<ReturnType<typeof startFcm>>
  /** Registers a phone of a user, its token being named after them. */
  phone(client: TestClient, platform?: 'ios' | 'android'): Promise<string>
  /** Waits until nothing more is to be pushed; answers what came since the last call, by token. */
  shown(): Promise<ShownPush[]>
  close(): Promise<void>
}

export async function startPushWorld(options?: { pushGraceMs?: number }): Promise<PushWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'hubbub-push-'))
  const [apns, fcm] = await Promise.all([startApns(), startFcm()])
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await writeFile(join(folder, 'apns'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await writeFile(join(folder, 'fcm'), JSON.stringify(fcm.account))
  const server = await startTestServer(
    {
      HUBBUB_APNS_KEY_FILE: join(folder, 'apns'),
      HUBBUB_APNS_KEY_ID: 'KEY',
      HUBBUB_APNS_TEAM_ID: 'TEAM',
      HUBBUB_APNS_TOPIC: 'app.example',
      HUBBUB_APNS_URL: apns.url,
      HUBBUB_FCM_ACCOUNT_FILE: join(folder, 'fcm'),
      HUBBUB_FCM_URL: fcm.url,
    },
    options,
  )
  const { db } = server.app
  return {
    server,
    apns,
    fcm,
    async phone(client, platform = 'ios') {
      const token = `phone-of-${client.userId}`
      const body = { deviceId: token, platform, token, userId: client.userId }
      const { status } = await client.post('/v1/notification', body)
      if (status !== 200) throw new Error(`registering a phone: ${status}`)
      return token
    },
    async shown() {
      await server.settled()
      await eventually(async () => {
        const waiting = await db
          .selectFrom('pushNotices')
          .where('isSpread', '=', false)
          .select('id')
          .execute()
        const due = await db.selectFrom('pushDeliveries').select('id').where('attempts', '<=', 1).execute()
        return waiting.length + due.length === 0
      }, 10_000)
      const ios = apns.taken.splice(0).map(({ path, headers, body: { aps, ...data } }) => ({
        token: decodeURIComponent(path.split('/').at(-1)!),
        ...aps.alert,
        badge: aps.badge,
        collapseKey: String(headers['apns-collapse-id']),
        data,
      }))
      const android = fcm.taken.splice(0).map(({ body: { message } }) => ({
        token: message.token,
        ...message.notification,
        badge: (message.android.notification as { notification_count: number }).notification_count,
        collapseKey: String(message.android.collapse_key),
        data: message.data,
      }))
      return [...ios, ...android].sort((a, b) => (a.token < b.token ? -1 : 1))
    },
    async close() {
      await server.close()
      await Promise.all([apns.close(), fcm.close(), rm(folder, { recursive: true })])
    },
  }
}
