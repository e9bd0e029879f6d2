// needs: livekit-server chromium
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createRoom, inviteCoHost, readRoom, roomPath, untilRoom } from '../factories/rooms.ts'
import type { TestClient } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { listen } from '../harness/listener.ts'
import { freePorts } from '../harness/free-ports.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { apiKey, apiSecret } from './livekit-server.ts'
import { openStageBrowser, type Guest, type StageBrowser } from './stage-page.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

// A real LiveKit server and its own client: two co-hosts and one who watches.
let server: TestServer
let liveKit: ChildProcess
let browser: StageBrowser
let clients: TestClient[]
beforeAll(async () => {
  const [http, rtc] = (await freePorts(2)) as [number, number]
  server = await startTestServer({
    LIVEKIT_URL: `ws://127.0.0.1:${http}`,
    LIVEKIT_API_KEY: apiKey,
    LIVEKIT_API_SECRET: apiSecret,
    HUBBUB_STREAM_GRACE_SECONDS: '20',
  })
  const config = {
    port: http,
    bind_addresses: ['127.0.0.1'],
    rtc: { tcp_port: rtc, udp_port: rtc, enable_loopback_candidate: true },
    keys: { [apiKey]: apiSecret },
    webhook: { api_key: apiKey, urls: [`${server.url}/livekit/webhook`] },
    logging: { level: 'error' },
  }
  const options = ['--config-body', JSON.stringify(config), '--node-ip', '127.0.0.1']
  liveKit = spawn('livekit-server', options, { stdio: ['ignore', 'inherit', 'inherit'] })
  const answers = () => fetch(`http://127.0.0.1:${http}`).then(({ ok }) => ok, () => false) // prettier-ignore
  await eventually(answers, 20_000)
  browser = await openStageBrowser()
  clients = await Promise.all(['alice', 'bob', 'carol', 'dora'].map((userId) => server.as(userId)))
})
afterAll(async () => {
  await browser?.close()
  if (liveKit?.kill()) await once(liveKit, 'exit')
  await server?.close()
})

async function join(client: TestClient, roomId: string): Promise<Guest> {
  const { coHostUrl, coHostToken } = (await client.get(roomPath(roomId, '/token'))).body
  return browser.join(coHostUrl, coHostToken)
}

/** Waits until somebody sees moving pictures of exactly these people. */
async function untilSeen(guest: Guest, people: TestClient[]): Promise<void> {
  const expected = people.map(({ id }) => id).toSorted()
  await eventually(async () => {
    const seen = await guest.sees()
    const isMoving = seen.every(({ time }) => time > 0.5)
    return (
      isMoving &&
      seen
        .map(({ identity }) => identity)
        .toSorted()
        .join() === expected.join()
    )
  }, 30_000)
}

it('two co-hosts see each other, one watches; who is removed is gone and stays gone; the end is for all', async () => {
  const [alice, bob, carol, dora] = clients as [TestClient, TestClient, TestClient, TestClient]
  const { roomId, liveChannelId } = await createRoom(alice, { type: 'coHosts' })
  const { invitationId } = await inviteCoHost(alice, roomId, 'bob')
  await bob.post(`/api/v1/invitations/${invitationId}/accept`)
  const news = await listen(server, carol, [`hubbub/room/${roomId}`])
  const host = await join(alice, roomId)
  const { coHostUrl, coHostToken } = (await bob.get(roomPath(roomId, '/token'))).body
  const coHost = await browser.join(coHostUrl, coHostToken)
  const viewer = await join(carol, roomId)
  await news.next('room.participantStageJoined')
  expect((await readRoom(carol, roomId)).status).toBe('idle')
  await host.send()
  await untilRoom(carol, roomId, 'live')
  await coHost.send()
  await untilSeen(host, [bob])
  await untilSeen(coHost, [alice])
  await untilSeen(viewer, [alice, bob])
  const { channels } = await sharp(await viewer.page.screenshot()).stats()
  expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(20)
  await expect(viewer.send()).rejects.toThrow(/permission/i)

  await alice.delete(roomPath(roomId, '/participants/bob'))
  await eventually(async () => (await coHost.left()) !== undefined)
  await untilSeen(viewer, [alice])
  // The old token still opens the door for a moment: whoever comes back with it is sent away again.
  const back = await browser.join(coHostUrl, coHostToken)
  await eventually(async () => (await back.left()) !== undefined)
  expect((await readRoom(carol, roomId)).status).toBe('live')

  // Whoever watched is sent away by a ban from the chat, from every device, also when they come back.
  await dora.post(`/api/v3/channels/${liveChannelId}/join`)
  const watching = await dora.get(roomPath(roomId, '/token'))
  const device = () => browser.join(watching.body.coHostUrl, watching.body.coHostToken)
  const banned = await device()
  await untilSeen(banned, [alice])
  await alice.put(`/api/v3/channels/${liveChannelId}/users/ban`, { userIds: ['dora'] })
  await eventually(async () => (await banned.left()) !== undefined)
  const returned = await device()
  await eventually(async () => (await returned.left()) !== undefined)
  await untilSeen(viewer, [alice])

  await host.page.close()
  await untilRoom(carol, roomId, 'waitingReconnect')
  const again = await join(alice, roomId)
  await again.send()
  await untilRoom(carol, roomId, 'live')
  await alice.post(roomPath(roomId, '/stop'))
  for (const guest of [again, viewer]) await eventually(async () => (await guest.left()) !== undefined)
  expect(await readRoom(carol, roomId)).toMatchObject({
    status: 'ended',
    durationSeconds: expect.any(Number),
  })
  news.close()
})
