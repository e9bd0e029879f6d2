import { describe, expect, it } from 'vitest'
import type { Db } from '../database.ts'
import { joinedLoad } from './joined-load.ts'
import type { Resource } from './resource.ts'

const db = {} as Db

/** A resource whose loads wait until they are answered. */
function setUp() {
  const loads: { ids: string[]; answer(): void; fail(error: Error): void }[] = []
  const resource: Resource = {
    name: 'notes',
    load: (_db, ids) =>
      new Promise((resolve, reject) => {
        loads.push({ ids, answer: () => resolve(new Map(ids.map((id) => [id, `${id}!`]))), fail: reject })
      }),
    references: () => ({}),
  }
  return { resource, loads }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a joined load', () => {
  it('starts at once when nobody waits, and reads together what came meanwhile', async () => {
    const { resource, loads } = setUp()
    const first = joinedLoad(resource, db, ['a'])
    const second = joinedLoad(resource, db, ['b'])
    const later = [joinedLoad(resource, db, ['a', 'c']), joinedLoad(resource, db, ['c', 'd'])]
    expect(loads.map(({ ids }) => ids)).toEqual([['a'], ['b']])
    loads[1]!.answer()
    expect((await second).get('b')).toBe('b!')
    await settle()
    expect(loads[2]!.ids).toEqual(['a', 'c', 'd'])
    loads[2]!.answer()
    const [third, fourth] = await Promise.all(later)
    expect([third!.get('c'), fourth!.get('d')]).toEqual(['c!', 'd!'])
    loads[0]!.answer()
    expect((await first).get('a')).toBe('a!')
  })

  it('fails for those who were in the query, and goes on', async () => {
    const { resource, loads } = setUp()
    const failing = [joinedLoad(resource, db, ['a']), joinedLoad(resource, db, ['b'])]
    const waiting = joinedLoad(resource, db, ['a'])
    loads[0]!.fail(new Error('gone'))
    await expect(failing[0]).rejects.toThrow('gone')
    await settle()
    loads[2]!.answer()
    expect((await waiting).get('a')).toBe('a!')
    loads[1]!.answer()
    await failing[1]
    void joinedLoad(resource, db, ['e'])
    expect(loads.at(-1)!.ids).toEqual(['e'])
  })

  it('keeps a query within bounds', async () => {
    const { resource, loads } = setUp()
    void joinedLoad(resource, db, ['x'])
    void joinedLoad(resource, db, ['y'])
    const many = (from: number) => Array.from({ length: 600 }, (_, i) => String(from + i))
    void joinedLoad(resource, db, many(0))
    void joinedLoad(resource, db, many(600))
    loads[0]!.answer()
    await settle()
    expect(loads[2]!.ids).toHaveLength(600)
    loads[1]!.answer()
    await settle()
    expect(loads[3]!.ids[0]).toBe('600')
  })

  it('joins nothing across databases, of which a transaction is one', () => {
    const { resource, loads } = setUp()
    const transaction = {} as Db
    for (const one of [db, db, db, transaction]) void joinedLoad(resource, one, ['a'])
    expect(loads).toHaveLength(3)
  })
})
