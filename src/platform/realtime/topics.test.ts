import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../test/realtime/random.ts'
import { createTopicTrie } from './topic-trie.ts'
import { filterMatches, isTopicFilter, isTopicName } from './topics.ts'

// [filter, topic, matches]; the first block is the standard's own examples.
const cases: [string, string, boolean][] = [
  ['sport/tennis/player1/#', 'sport/tennis/player1', true],
  ['sport/tennis/player1/#', 'sport/tennis/player1/ranking', true],
  ['sport/tennis/player1/#', 'sport/tennis/player1/score/wimbledon', true],
  ['sport/#', 'sport', true],
  ['#', 'anything/at/all', true],
  ['sport/tennis/+', 'sport/tennis/player1', true],
  ['sport/tennis/+', 'sport/tennis/player1/ranking', false],
  ['sport/+', 'sport', false],
  ['sport/+', 'sport/', true],
  ['+/+', '/finance', true],
  ['/+', '/finance', true],
  ['+', '/finance', false],
  ['#', '$SYS/monitor/clients', false],
  ['+/monitor/clients', '$SYS/monitor/clients', false],
  ['$SYS/#', '$SYS/monitor/clients', true],
  ['$SYS/monitor/+', '$SYS/monitor/clients', true],
  ['net/social/user/u1/post/+', 'net/social/user/u1/post/p1', true],
  ['net/social/user/u1/post/+', 'net/social/user/u1/post/p1/comment/c1', false],
  ['net/social/user/u1/post/+/comment/+', 'net/social/user/u1/post/p1/comment/c1', true],
  ['net/social/user/u1/post/#', 'net/social/user/u1/post/p1/comment/c1', true],
  ['net/membership/+/me/+', 'net/membership/you/me/accepted', true],
  ['net/membership/me/+/+', 'net/membership/you/me/accepted', false],
  ['net/chat/c1/#', 'net/chat/c10', false],
  ['net/chat/c1', 'net/chat/C1', false],
  ['a//b', 'a//b', true],
  ['a/+/b', 'a//b', true],
  ['a/b', 'a/b/', false],
]

describe('topic matching', () => {
  it.each(cases)('%s on %s: %s', (filter, topic, expected) => {
    expect(filterMatches(filter, topic)).toBe(expected)
    const trie = createTopicTrie<number>()
    trie.add(filter, 1)
    expect(trie.matches(topic)).toBe(expected)
    expect(trie.match(topic).length).toBe(expected ? 1 : 0)
  })

  it.each([
    ['a/b', true],
    ['#', true],
    ['+', true],
    ['a/+/#', true],
    ['/', true],
    ['', false],
    ['a#', false],
    ['#/a', false],
    ['a/b+', false],
    ['a/+b/c', false],
    ['a\0b', false],
    ['x'.repeat(65_535), true],
    ['x'.repeat(65_536), false],
    ['é'.repeat(32_768), false],
  ])('filter case %#', (filter, expected) => {
    expect(isTopicFilter(filter)).toBe(expected)
  })

  it('limits levels, at the bound and one past it', () => {
    expect(isTopicFilter('a/b/c', 3)).toBe(true)
    expect(isTopicFilter('a/b/c/d', 3)).toBe(false)
    expect(isTopicName('a/b/c', 3)).toBe(true)
    expect(isTopicName('a/b/c/d', 3)).toBe(false)
    expect(isTopicName('a/+')).toBe(false)
    expect(isTopicName('a/#')).toBe(false)
  })
})

describe('the index of filters', () => {
  it('agrees with plain matching over random adds, removes and lookups, and ends empty', () => {
    const random = seededRandom(11)
    const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
    const path = (levels: string[]) =>
      Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(levels)).join('/')
    const trie = createTopicTrie<string>()
    const held = new Set<string>()
    let found = 0
    for (let step = 0; step < 5_000; step++) {
      const filter = path(['a', 'b', '', '$x', '+']) + pick(['', '', '/#'])
      if (random() < 0.5) {
        const isNew = !held.has(filter)
        if (trie.add(filter, filter) !== isNew) expect.fail(`add ${filter}`)
        held.add(filter)
      } else if (trie.remove(filter, filter) !== held.delete(filter)) expect.fail(`remove ${filter}`)
      const topic = path(['a', 'b', '', '$x', 'c'])
      const matched = trie.match(topic).flatMap((values) => [...values])
      found += matched.length
      const expected = [...held].filter((candidate) => filterMatches(candidate, topic))
      expect(matched.sort()).toEqual(expected.sort())
      if (trie.matches(topic) !== expected.length > 0) expect.fail(`matches ${topic}`)
    }
    expect(found).toBeGreaterThan(5_000)
    expect(trie.filters().sort()).toEqual([...held].sort())
    for (const filter of held) expect(trie.remove(filter, filter)).toBe(true)
    expect(trie.filters()).toEqual([])
  })

  it('looks up one of 50,000 filters without walking the others', () => {
    const trie = createTopicTrie<number>()
    for (let i = 0; i < 50_000; i++) trie.add(`net/chat/channel${i}/#`, i)
    const started = performance.now()
    for (let i = 0; i < 10_000; i++) expect(trie.match(`net/chat/channel${i}/feed/m`).length).toBe(1)
    // Walking all filters would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
