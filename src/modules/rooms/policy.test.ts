import { expect, it } from 'vitest'
import { isOver, mayBecome } from './policy.ts'
import { roomStatuses, type RoomStatus } from './schema.ts'

// Every pair of statuses: what is not named here must not happen.
const allowed: Record<RoomStatus, RoomStatus[]> = {
  idle: ['live', 'ended', 'terminated', 'error'],
  live: ['waitingReconnect', 'ended', 'terminated'],
  waitingReconnect: ['live', 'ended', 'terminated'],
  ended: ['recorded', 'terminated'],
  recorded: ['terminated'],
  terminated: [],
  error: ['live', 'ended', 'terminated'],
}

const pairs = roomStatuses.flatMap((from) => roomStatuses.map((to) => [from, to] as const))

it.each(pairs)('%s -> %s', (from, to) => {
  expect(mayBecome(from, to)).toBe(allowed[from].includes(to))
})

it('never begins anew', () => {
  for (const status of roomStatuses.filter((one) => isOver({ status: one })))
    for (const to of ['idle', 'live', 'waitingReconnect', 'error'] as const)
      expect(mayBecome(status, to)).toBe(false)
})
