import { describe, expect, it } from 'vitest'
import { linksIn } from './links.ts'

describe('links in a text', () => {
  it.each([
    ['nothing here. At all, e.g. this', []],
    ['see https://a.example/x.', ['https://a.example/x']],
    ['(HTTP://A.example)', ['HTTP://A.example']],
    ['<https://a.example> "https://b.example"', ['https://a.example', 'https://b.example']],
    ['https://a.example,https://b.example', ['https://a.example', 'https://b.example']],
    ['www.a.example!', ['www.a.example']],
    ['a.example/path and b.example', ['a.example/path']],
    ['пример.рф/страница', ['пример.рф/страница']],
    ['x:http://a.example', ['http://a.example']],
    ['a.example:80/x', ['a.example:80/x']],
    ['1.5/2', []],
    ['file.txt', []],
    ['https://', []],
  ])('%s', (text, links) => expect(linksIn(text)).toEqual(links))

  it.each([
    'a.'.repeat(25_000),
    'x'.repeat(50_000),
    '.'.repeat(50_000),
    'https://'.repeat(6000),
    'a-'.repeat(25_000),
  ])('are looked for in 50,000 characters in no time', (text) => {
    const started = performance.now()
    linksIn(text)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
