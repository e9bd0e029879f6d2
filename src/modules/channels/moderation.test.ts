import { afterEach, describe, expect, it } from 'vitest'
import { channelPath, createChannel, memberOf, ok, refusal, say } from '../../../test/factories/chat.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startWithPeople } from '../../../test/harness/people.ts'
import { setClock } from '../../platform/clock.ts'

const { alice, bob, carol, admin } = await startWithPeople()
afterEach(() => setClock())

const later = (ms: number) => {
  const { timeOrigin } = performance
  setClock(() => timeOrigin + performance.now() + ms)
}
const speak = (client: TestClient, channelId: string) =>
  client.post('/api/v3/messages', { channelId, data: { text: 'x' } })
const group = (fields = {}) => createChannel(alice, { userIds: ['bob', 'carol'], ...fields })

describe('muting a channel', () => {
  it('lets only moderators speak, until its time is over', async () => {
    const { channelId } = await group()
    const path = `/api/v2/channel/${channelId}/mute`
    expect(ok(await alice.put(path, { mutePeriod: 60_000 }))).toEqual({ success: true })
    expect(ok(await bob.get(channelPath(channelId))).channels[0].isMuted).toBe(true)
    expect(refusal(await speak(bob, channelId))).toEqual([403, 400303])
    expect((await speak(alice, channelId)).status).toBe(200)
    later(61_000)
    expect((await speak(bob, channelId)).status).toBe(200)
    setClock()
    await alice.put(path, { mutePeriod: -1 })
    later(86_400_000)
    expect(refusal(await speak(bob, channelId))).toEqual([403, 400303])
    await alice.put(path, { mutePeriod: 0 })
    expect((await speak(bob, channelId)).status).toBe(200)
  })

  it('is for moderators, and takes periods only', async () => {
    const { channelId } = await group()
    const path = `/api/v2/channel/${channelId}/mute`
    expect(refusal(await bob.put(path, { mutePeriod: 1 }))).toEqual([403, 400301])
    expect((await alice.put(path, { mutePeriod: -2 })).status).toBe(422)
    expect((await alice.put(path, {})).status).toBe(422)
    expect(refusal(await alice.put('/api/v2/channel/nowhere/mute', { mutePeriod: 1 }))).toEqual([404, 400400])
  })
})

describe('muting members', () => {
  it('silences them alone, until its time is over', async () => {
    const { channelId } = await group()
    const path = `/api/v2/channel/${channelId}/users/mute`
    expect(ok(await alice.put(path, { userIds: ['bob'], mutePeriod: 60_000 }))).toEqual({ success: true })
    expect(memberOf(ok(await bob.get(channelPath(channelId))), 'bob').isMuted).toBe(true)
    expect(refusal(await speak(bob, channelId))).toEqual([403, 400302])
    expect((await speak(carol, channelId)).status).toBe(200)
    later(61_000)
    expect((await speak(bob, channelId)).status).toBe(200)
    setClock()
    expect(refusal(await speak(bob, channelId))).toEqual([403, 400302])
    await alice.put(path, { userIds: ['bob'], mutePeriod: 0 })
    expect((await speak(bob, channelId)).status).toBe(200)
  })

  it('is for moderators, and of members', async () => {
    const { channelId } = await group()
    const path = `/api/v2/channel/${channelId}/users/mute`
    expect(refusal(await bob.put(path, { userIds: ['carol'], mutePeriod: 1 }))).toEqual([403, 400301])
    expect(refusal(await alice.put(path, { userIds: ['admin'], mutePeriod: 1 }))).toEqual([404, 400400])
    expect((await alice.put(path, { userIds: Array(101).fill('bob'), mutePeriod: 1 })).status).toBe(422)
  })
})

describe('slow mode', () => {
  const slow = (channelId: string, body: object) => alice.put(channelPath(channelId, '/rate-limit'), body)

  it('lets each member send so much in so long, and says when to come back', async () => {
    const { channelId } = await group()
    const set = ok(await slow(channelId, { period: -1, rateLimit: 2, rateLimitWindow: 10_000 }))
    expect(set.channels[0]).toMatchObject({ isRateLimited: true, rateLimit: 2, rateLimitWindow: 10_000 })
    const all = await Promise.all([1, 2, 3, 4].map(() => speak(bob, channelId)))
    const refused = all.filter((answer) => answer.status !== 200)
    expect(refused.map(refusal)).toEqual([
      [429, 400311],
      [429, 400311],
    ])
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(9)
    expect((await speak(carol, channelId)).status).toBe(200)
    for (let i = 0; i < 4; i++) expect((await speak(alice, channelId)).status).toBe(200)
    later(10_500)
    expect((await speak(bob, channelId)).status).toBe(200)
  })

  it('ends when told to, and when its period is over', async () => {
    const { channelId } = await group()
    await slow(channelId, { period: 60_000, rateLimit: 1, rateLimitWindow: 3_600_000 })
    await say(bob, channelId, 'one')
    expect((await speak(bob, channelId)).status).toBe(429)
    later(61_000)
    expect((await speak(bob, channelId)).status).toBe(200)
    setClock()
    const ended = ok(await slow(channelId, { period: 0 }))
    expect(ended.channels[0]).toMatchObject({ isRateLimited: false, rateLimitTimeout: null })
    expect((await speak(bob, channelId)).status).toBe(200)
  })

  it('is for those with the permission, and needs numbers', async () => {
    const { channelId } = await group()
    const body = { period: -1, rateLimit: 1, rateLimitWindow: 1000 }
    expect(refusal(await bob.put(channelPath(channelId, '/rate-limit'), body))).toEqual([403, 400301])
    expect((await slow(channelId, { period: -1 })).status).toBe(422)
    expect((await slow(channelId, { ...body, rateLimit: 1001 })).status).toBe(422)
    expect((await admin.put(channelPath(channelId, '/rate-limit'), body)).status).toBe(200)
  })
})
