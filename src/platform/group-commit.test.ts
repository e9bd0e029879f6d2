import { describe, expect, it } from 'vitest'
import { createGroupCommit, type Outcome } from './group-commit.ts'

/** Batches that run when told to. */
function manual(maxBatch = 100, lanes = 1) {
  const batches: { items: string[]; finish(): void; fail(error: Error): void }[] = []
  const submit = createGroupCommit<string, string>({
    lanes,
    maxBatch,
    run: (items) =>
      new Promise<Outcome<string>[]>((resolve, reject) =>
        batches.push({
          items,
          finish: () =>
            resolve(items.map((item) => (item === 'bad' ? { error: new Error('bad') } : { value: item }))),
          fail: reject,
        }),
      ),
  })
  return { batches, submit }
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

describe('group commit', () => {
  it('starts at once, and takes together what came meanwhile', async () => {
    const { batches, submit } = manual()
    const first = submit('k', 'a')
    const others = ['b', 'c', 'd'].map((item) => submit('k', item))
    expect(batches.map((batch) => batch.items)).toEqual([['a']])
    batches[0]!.finish()
    expect(await first).toBe('a')
    await tick()
    expect(batches[1]!.items).toEqual(['b', 'c', 'd'])
    batches[1]!.finish()
    expect(await Promise.all(others)).toEqual(['b', 'c', 'd'])
  })

  it('gives every caller an answer or an error of their own', async () => {
    const { batches, submit } = manual()
    void submit('k', 'a')
    const outcomes = Promise.allSettled([submit('k', 'b'), submit('k', 'bad'), submit('k', 'c')])
    batches[0]!.finish()
    await tick()
    batches[1]!.finish()
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('does a batch that failed as a whole again, one by one', async () => {
    const { batches, submit } = manual()
    void submit('k', 'a')
    const outcomes = Promise.allSettled([submit('k', 'b'), submit('k', 'c')])
    batches[0]!.finish()
    await tick()
    batches[1]!.fail(new Error('constraint'))
    await tick()
    expect(batches[2]!.items).toEqual(['b'])
    batches[2]!.fail(new Error('constraint'))
    await tick()
    expect(batches[3]!.items).toEqual(['c'])
    batches[3]!.finish()
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'fulfilled'])
  })

  it('holds no more than its bound in a batch', async () => {
    const { batches, submit } = manual(2)
    const all = ['a', 'b', 'c', 'd'].map((item) => submit('k', item))
    for (let i = 0; i < 3; i++) {
      batches[i]!.finish()
      await tick()
    }
    expect(batches.map((batch) => batch.items)).toEqual([['a'], ['b', 'c'], ['d']])
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('keeps the items of a key in their lane and their order, and lets other lanes run', async () => {
    const { batches, submit } = manual(100, 4)
    const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`)
    const all = keys.map((key) => submit(key, key))
    expect(batches).toHaveLength(4)
    while (batches.some((batch) => batch.items.length > 0 && !Object.isFrozen(batch))) {
      batches.filter((batch) => !Object.isFrozen(batch)).forEach((batch) => Object.freeze(batch).finish())
      await tick()
    }
    expect(await Promise.all(all)).toEqual(keys)
  })

  it('starts again after an error in its own run', async () => {
    const submit = createGroupCommit<string, string>({ lanes: 1, maxBatch: 10, run: async () => [] })
    await expect(submit('k', 'a')).rejects.toThrow('0 outcomes for 1 items')
    await expect(submit('k', 'b')).rejects.toThrow('0 outcomes for 1 items')
  })
})
