import { describe, expect, it } from 'vitest'
import type { Db } from './database.ts'
import { joined } from './joined.ts'

const db = {} as Db

/** A load whose queries wait until they are answered. */
function setUp() {
  const loads: { ids: string[]; answer(): void; fail(error: Error): void }[] = []
  const load = joined<string>(
    (_db, ids) =>
      new Promise((resolve, reject) => {
        loads.push({ ids, answer: () => resolve(new Map(ids.map((id) => [id, `${id}!`]))), fail: reject })
      }),
  )
  return { load, loads }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a joined load', () => {
  it('starts at once when nobody waits, and reads together what came meanwhile', async () => {
    const { load, loads } = setUp()
    const first = load(db, ['a'])
    const second = load(db, ['b'])
    const later = [load(db, ['a', 'c']), load(db, ['c', 'd'])]
    expect(loads.map(({ ids }) => ids)).toEqual([['a'], ['b']])
    loads[1]!.answer()
    expect((await second).get('b')).toBe('b!')
    await settle()
    expect(loads[2]!.ids).toEqual(['a', 'c', 'd'])
    loads[2]!.answer()
    const [third, fourth] = await Promise.all(later)
    expect([[...third!.keys()], [...fourth!.keys()]]).toEqual([
      ['a', 'c'],
      ['c', 'd'],
    ])
    loads[0]!.answer()
    expect((await first).get('a')).toBe('a!')
  })

  it('fails for those who were in the query, and goes on', async () => {
    const { load, loads } = setUp()
    const failing = [load(db, ['a']), load(db, ['b'])]
    const waiting = load(db, ['a'])
    loads[0]!.fail(new Error('gone'))
    await expect(failing[0]).rejects.toThrow('gone')
    await settle()
    loads[2]!.answer()
    expect((await waiting).get('a')).toBe('a!')
    loads[1]!.answer()
    await failing[1]
    void load(db, ['e'])
    expect(loads.at(-1)!.ids).toEqual(['e'])
  })

  it('keeps a query within bounds', async () => {
    const { load, loads } = setUp()
    void load(db, ['x'])
    void load(db, ['y'])
    const many = (from: number) => Array.from({ length: 600 }, (_, i) => String(from + i))
    void load(db, many(0))
    void load(db, many(600))
    loads[0]!.answer()
    await settle()
    expect(loads[2]!.ids).toHaveLength(600)
    loads[1]!.answer()
    await settle()
    expect(loads[3]!.ids[0]).toBe('600')
  })

  it('joins nothing across databases, of which a transaction is one', () => {
    const { load, loads } = setUp()
    const transaction = {} as Db
    for (const one of [db, db, db, transaction]) void load(one, ['a'])
    expect(loads).toHaveLength(3)
  })
})
