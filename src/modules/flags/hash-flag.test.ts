import { describe, expect, it } from 'vitest'
import { hashFlagOf, mayHold } from './hash-flag.ts'

describe('the filter over flaggers', () => {
  it('is absent while nobody flagged', () => expect(hashFlagOf([])).toBeNull())

  it('holds everyone who flagged and almost nobody else', () => {
    const flaggers = Array.from({ length: 100 }, (_, i) => `flagger-${i}`)
    const filter = hashFlagOf(flaggers)!
    expect(filter).toMatchObject({ bits: 1024, hashes: 7 })
    expect(filter.hash.join('')).toHaveLength(1024 / 4)
    expect(flaggers.every((id) => mayHold(filter, id))).toBe(true)
    const others = Array.from({ length: 1000 }, (_, i) => `other-${i}`)
    expect(others.filter((id) => mayHold(filter, id)).length).toBeLessThan(30)
  })
})
