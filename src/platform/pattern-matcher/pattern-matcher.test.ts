import { describe, expect, it } from 'vitest'
import { createPatternList, findMatch } from './pattern-matcher.ts'

describe('matching patterns from outside', () => {
  const list = createPatternList([/b[a4]d/i, /^\p{Lu}+$/u])

  it.each([
    ['so BAD', 0],
    ['b4d', 0],
    ['SHOUTED', 1],
    ['fine', -1],
  ])('%s: %d', async (text, index) => expect(await findMatch(list, [text])).toBe(index))

  it('looks at every text', async () => expect(await findMatch(list, ['fine', 'also', 'bad'])).toBe(0))

  it('matches nothing without patterns or texts', async () => {
    expect(await findMatch(createPatternList([]), ['bad'])).toBe(-1)
    expect(await findMatch(list, [])).toBe(-1)
  })

  it('keeps many lists apart, also those it has put aside', async () => {
    const many = Array.from({ length: 20 }, (_, i) => createPatternList([new RegExp(`^word${i}$`)]))
    for (const round of [1, 2]) {
      const found = await Promise.all(many.map((one, i) => findMatch(one, [`word${i}`, `round ${round}`])))
      expect(found).toEqual(many.map(() => 0))
    }
    expect(await findMatch(many[3]!, ['word4'])).toBe(-1)
  })

  it('gives up on a pattern that takes for ever, does not block meanwhile, and goes on with the next', async () => {
    const evil = createPatternList([/^(a+)+$/])
    let ticks = 0
    const ticking = setInterval(() => ticks++, 20)
    const stuck = findMatch(evil, [`${'a'.repeat(60)}!`])
    const next = findMatch(list, ['bad'])
    expect(await stuck).toBeNull()
    clearInterval(ticking)
    expect(ticks).toBeGreaterThan(5)
    expect(await next).toBe(0)
  })
})
