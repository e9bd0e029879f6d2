import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { callAt } from './timers.ts'

it('calls once at the time, at once for a time gone by, and not after it was cancelled', async () => {
  const calls: string[] = []
  callAt(new Date(Date.now() - 1_000), () => calls.push('past'))
  callAt(new Date(Date.now() + 40), () => calls.push('soon'))
  callAt(new Date(Date.now() + 40), () => calls.push('cancelled'))()
  await sleep(20)
  expect(calls).toEqual(['past'])
  await sleep(60)
  expect(calls).toEqual(['past', 'soon'])
})

it('waits for times beyond what a timer can hold without overflowing it', async () => {
  const warnings: string[] = []
  const note = (warning: Error) => warnings.push(warning.name)
  process.on('warning', note)
  const calls: number[] = []
  const cancel = callAt(new Date(Date.now() + 400 * 86_400_000), () => calls.push(1))
  await sleep(30)
  cancel()
  process.off('warning', note)
  expect([calls, warnings]).toEqual([[], []])
})
