import { expect, it } from 'vitest'
import { readConfig } from '../../config.ts'
import { nextPause, readRetryAfter } from './schedule.ts'

const { webhookRetrySeconds: retrySeconds } = readConfig({})

it('tries for more than a day by default, at growing pauses', () => {
  const pauses = retrySeconds.map((_, i) =>
    nextPause({ attempts: i + 1, retrySeconds, retryAfterMs: null, chance: 0 }),
  )
  expect(pauses.slice(0, 3)).toEqual([5000, 300_000, 1_800_000])
  expect(pauses.reduce<number>((sum, pause) => sum + pause!, 0)).toBeGreaterThan(24 * 3_600_000)
  expect(nextPause({ attempts: pauses.length + 1, retrySeconds, retryAfterMs: null, chance: 0 })).toBeNull()
})

it('spreads pauses by up to a tenth, and is never earlier than asked', () => {
  const pause = (chance: number, retryAfterMs: number | null = null) =>
    nextPause({ attempts: 1, retrySeconds: [10], retryAfterMs, chance })
  expect([pause(0), pause(0.5), pause(1)]).toEqual([10_000, 10_500, 11_000])
  expect([pause(0, 60_000), pause(0, 1000)]).toEqual([60_000, 10_000])
})

const at = new Date('2026-01-01T00:00:00.000Z')
it.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['999999999', 86_400_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', null],
  ['', null],
  [undefined, null],
  [['1', '2'], null],
])('Retry-After %j is %j ms', (header, ms) => {
  expect(readRetryAfter(header, at)).toBe(ms)
})
