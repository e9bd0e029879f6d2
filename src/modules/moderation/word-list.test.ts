import { describe, expect, it } from 'vitest'
import { createLinkList, createWordList, findLink, findWord, isPattern, type WordRule } from './word-list.ts'
import { formsOf } from './links.ts'

const exact = (pattern: string): WordRule => ({ pattern, isMatchExactWord: true })
const part = (pattern: string): WordRule => ({ pattern, isMatchExactWord: false })

describe('words', () => {
  it.each<[WordRule, string, boolean]>([
    [part('bad'), 'a BADge', true],
    [part('bad'), 'b a d', false],
    [exact('bad'), 'a badge', false],
    [exact('bad'), 'so Bad!', true],
    [exact('bad'), 'bad', true],
    [exact('bad'), 'bad2', false],
    [exact('bad'), 'bad_one', false],
    [exact('very bad'), 'that is VERY BAD, really', true],
    [exact('very bad'), 'very badly', false],
    [exact('very bad'), 'very badly. very bad', true],
    [exact('слово'), 'Слово.', true],
    [exact('слово'), 'словом', false],
    [exact('悪い'), '悪い', true],
    [part('悪'), 'とても悪い', true],
    [part('ｂａｄ'), 'bad', true],
    [part('bad'), 'so ｂａｄ', true],
    [part('bad'), 'b\u200ba\u00add', true],
    [part('b.d'), 'bid', true],
    [part('b.d'), 'b\u200bid', true],
    [part('^spam'), 'spam first', true],
    [part('^spam'), 'not spam', false],
    [part('\\bfoo\\b'), 'a foo.', true],
    [part('\\bfoo\\b'), 'food', false],
    [exact('fo+'), 'FOOO', true],
    [exact('fo+'), 'food', false],
    [exact('a|b'), 'x b x', true],
    [exact('a|b'), 'xbx', false],
    [part('[😀😁]'), '😂', false],
    [part('[😀😁]'), '😁', true],
    [part('\\-bad'), 'x-bad', true],
    [exact('\\-bad'), 'x -bad x', true],
    [part('(a+)+$'), 'nothing like it', false],
    [part('\u200b'), 'anything', false],
  ])('%j in %j: %s', async (rule, text, found) => {
    expect(await findWord(createWordList([rule]), ['fine', text])).toBe(found ? 'found' : 'nothing')
  })

  it('does not know of a text that a pattern takes for ever on', async () => {
    const list = createWordList([part('^(a+)+$')])
    expect(await findWord(list, [`${'a'.repeat(60)}!`])).toBe('unknown')
  })

  it('looks through ten thousand rules and a long text in no time', async () => {
    const rules = Array.from({ length: 10_000 }, (_, i) => (i % 2 ? exact : part)(`word ${i}`))
    const list = createWordList([...rules, exact('needle')])
    const started = performance.now()
    expect(await findWord(list, [`${'hay '.repeat(12_000)}needle`])).toBe('found')
    expect(await findWord(list, ['hay '.repeat(12_000)])).toBe('nothing')
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it.each([
    ['a+', true],
    ['(', false],
    ['a)|(b', false],
    ['[z-a]', false],
    ['\\', false],
    ['*', false],
    ['\\-', true],
  ])('%j is a pattern: %s', (pattern, is) => expect(isPattern(pattern)).toBe(is))
})

describe('links', () => {
  it.each<[string, string, boolean]>([
    ['good.example', 'https://good.example/a?b#c', true],
    ['good.example', 'HTTP://GOOD.EXAMPLE', true],
    ['good.example', 'www.good.example', true],
    ['good.example', 'goodXexample', false],
    ['good.example', 'https://sub.good.example', false],
    ['good.example', 'https://good.example.evil.example', false],
    ['good.example', 'https://evil.example/good.example', false],
    ['good.example', 'https://good.example@evil.example', false],
    ['good.example/shop', 'https://good.example/shop', true],
    ['good.example/shop', 'https://good.example/other', false],
    ['(.*\\.)?good\\.example', 'https://a.b.good.example/x', true],
    ['(.*\\.)?good\\.example', 'https://notgood.example/x', false],
    ['https://good\\.example/.*', 'https://good.example/x?y', true],
    ['https://good\\.example/.*', 'http://good.example/x', false],
    ['https://good\\.example/.*', 'https://good.example@evil.example/', false],
    ['good.example:8080', 'http://good.example:8080/', true],
    ['.*', 'not a link at all', true],
    ['good.example', 'javascript:alert(1)//good.example', false],
    ['good.example', 'http://', false],
  ])('%s allows %s: %s', async (rule, link, found) => {
    expect(await findLink(createLinkList([rule]), formsOf(link))).toBe(found ? 'found' : 'nothing')
  })
})
