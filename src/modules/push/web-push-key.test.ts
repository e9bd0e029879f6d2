import { expect, it, onTestFinished } from 'vitest'
import { ok } from '../../../test/factories/chat.ts'
import { startTestServer } from '../../../test/harness/server.ts'
import { openVapidKeys } from './keys.ts'

async function readKey(environment: NodeJS.ProcessEnv) {
  const server = await startTestServer(environment)
  onTestFinished(() => server.close())
  const { publicKey } = ok(await (await server.as('alice')).get('/v1/notification/web-push-key'))
  return { server, publicKey: publicKey as string | null }
}

it('gives browsers the one key of the network', async () => {
  const { server, publicKey } = await readKey({ HUBBUB_WEB_PUSH_CONTACT: 'mailto:ops@example.com' })
  const point = Buffer.from(publicKey!, 'base64url')
  expect([point.length, point[0]]).toEqual([65, 4])
  const again = await Promise.all(Array.from({ length: 4 }, () => openVapidKeys(server.app.db)))
  expect(new Set(again.map((keys) => keys.publicKey))).toEqual(new Set([publicKey]))
})

it('gives none while Web Push is off', async () => {
  expect((await readKey({})).publicKey).toBeNull()
})

it('does not start with half of what a service needs', async () => {
  await expect(startTestServer({ HUBBUB_APNS_KEY_ID: 'KEY' })).rejects.toThrow('APNs also needs')
})
