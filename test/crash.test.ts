import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type TestClient } from './harness/client.ts'
import { eventually } from './harness/eventually.ts'
import { startServerProcess, type ServerProcess } from './harness/process.ts'

let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hubbub-crash-'))
  server = await startServerProcess(dataDir)
}, 90_000)
afterAll(async () => {
  await server.kill().catch(() => undefined)
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}, 90_000)

const rounds = 3
const senders = 8

/** Sends until the server is gone; notes the ids whose sending was acknowledged. */
async function sendUntilGone(client: TestClient, prefix: string, acknowledged: string[]): Promise<void> {
  for (let i = 0; ; i++) {
    const messageId = `${prefix}-${i}`
    try {
      const answer = await client.post('/api/v3/messages', {
        channelId: 'crash',
        messageId,
        data: { text: messageId },
      })
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      acknowledged.push(messageId)
    } catch (error) {
      if (error instanceof TypeError) return
      throw error
    }
  }
}

async function allMessages(client: TestClient): Promise<{ messageId: string; segment: number }[]> {
  const { body: channel } = await client.get('/api/v3/channels/crash')
  const feedId = channel.channels[0].channelInternalId as string
  const all: { messageId: string; segment: number }[] = []
  let query: Record<string, unknown> = { options: { limit: 100 } }
  for (;;) {
    const { body } = await client.get('/api/v5/messages', { messageFeedId: feedId, ...query })
    all.push(...body.messages)
    if (!body.paging?.next) return all
    query = { options: { token: body.paging.next } }
  }
}

describe('kill -9 amid a stream of messages', () => {
  it(`keeps every acknowledged message, once, over ${rounds} crashes`, { timeout: 240_000 }, async () => {
    const acknowledged: string[] = []
    let client = await createClient(server.url, server.apiKey, 'alice')
    await client.post('/api/v3/channels', { channelId: 'crash', displayName: 'Crash' })
    for (let round = 0; round < rounds; round++) {
      const sending = Array.from({ length: senders }, (_, n) =>
        sendUntilGone(client, `r${round}-s${n}`, acknowledged),
      )
      const before = acknowledged.length
      await eventually(() => acknowledged.length > before + 20 + round * 70)
      await server.kill()
      await Promise.all(sending)
      server = await startServerProcess(dataDir)
      client = await createClient(server.url, server.apiKey, 'alice')
    }
    const stored = await allMessages(client)
    const times = new Map<string, number>()
    for (const { messageId } of stored) times.set(messageId, (times.get(messageId) ?? 0) + 1)
    expect(acknowledged.filter((id) => times.get(id) !== 1)).toEqual([])
    expect([...times.values()].every((count) => count === 1)).toBe(true)
    const segments = stored.map(({ segment }) => segment).sort((a, b) => a - b)
    expect(segments).toEqual(Array.from({ length: stored.length }, (_, i) => i + 1))
  })
})

describe('the program', () => {
  it('refuses a second server on one data folder, in plain words', async () => {
    await expect(startServerProcess(dataDir)).rejects.toThrow(/in use/i)
  })

  it('says every wrong setting at once', async () => {
    const wrong = startServerProcess(dataDir, {
      PORT: 'x',
      PUBLIC_URL: 'nowhere',
      HUBBUB_SECURE_MODE: 'maybe',
    })
    await expect(wrong).rejects.toThrow(/PORT[\s\S]*PUBLIC_URL[\s\S]*HUBBUB_SECURE_MODE/)
  })

  it('drains and exits 0 on SIGTERM', async () => {
    expect(await server.stop()).toBe(0)
  })

  it('ends on SIGTERM though its data is gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hubbub-gone-'))
    const doomed = await startServerProcess(folder)
    try {
      await rm(join(folder, 'postgres/base'), {
        recursive: true,
        force: true,
        maxRetries: 10,
        retryDelay: 200,
      })
      expect(await doomed.stop()).toBeTypeOf('number')
    } finally {
      doomed.child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    }
  })
})
