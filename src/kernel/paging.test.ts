import { describe, expect, it } from 'vitest'
import { cutPage, encodeToken, parsePage, type Cursor } from './paging.ts'

describe('parsePage', () => {
  it.each([
    ['nothing asked', {}, { limit: 10, key: [], direction: 'after' }],
    ['nested limit', { options: { limit: 7 } }, { limit: 7, key: [], direction: 'after' }],
    ['flat limit', { limit: 3 }, { limit: 3, key: [], direction: 'after' }],
  ])('%s', (_name, query, expected) => expect(parsePage(query)).toEqual(expected))

  it('takes size and place from the token, whatever else is said', () => {
    const cursor: Cursor = {
      limit: 25,
      key: [1763712345678, '65f0c0ffee65f0c0ffee65f0'],
      direction: 'before',
    }
    expect(parsePage({ options: { token: encodeToken(cursor), limit: 2 } })).toEqual(cursor)
  })

  it('accepts the first-page token that a client makes itself', () => {
    const token = Buffer.from('{"skip":0,"limit":100}').toString('base64')
    expect(parsePage({ token })).toEqual({ limit: 100, key: [], direction: 'after' })
  })

  it.each([
    'not base64 of json',
    'bnVsbA==',
    Buffer.from('{"limit":0}').toString('base64'),
    ...[
      '{"after":{}}',
      '{"after":[true]}',
      '{"after":[8640000000000001,"x"]}',
      '{"before":[-9007199254740991,"x"]}',
      '{"after":[1e300]}',
      '{"after":["\\u0000"]}',
      '{"after":[1,"\\ud800"]}',
    ].map((json) => Buffer.from(json).toString('base64')),
  ])('refuses %s', (token) => expect(() => parsePage({ token })).toThrow('badPageToken'))

  it('keeps tokens of the longest keys within the 100 characters of the interface', () => {
    const token = encodeToken({ limit: 100, key: [9_999_999_999_999, 'f'.repeat(24)], direction: 'before' })
    expect(token.length).toBeLessThanOrEqual(100)
  })
})

describe('cutPage', () => {
  const all = Array.from({ length: 11 }, (_, i) => i)
  const fetch = (cursor: Cursor): number[] => {
    const [from] = cursor.key as number[]
    const rows =
      cursor.direction === 'after'
        ? all.filter((n) => from === undefined || n > from)
        : all.filter((n) => n < from!).reverse()
    return rows.slice(0, cursor.limit + 1)
  }
  const page = (query: { limit?: number; token?: string }) => {
    const cursor = parsePage(query)
    return cutPage(fetch(cursor), cursor, (n) => [n])
  }

  it('joins to the whole list going forward and back', () => {
    const forward: number[][] = []
    let token: string | undefined
    let last = page({ limit: 4 })
    for (;;) {
      forward.push(last.rows)
      token = last.paging.next
      if (!token) break
      last = page({ token })
    }
    expect(forward.flat()).toEqual(all)
    const back = [last.rows]
    while (last.paging.previous) {
      last = page({ token: last.paging.previous })
      back.unshift(last.rows)
    }
    expect(back.flat()).toEqual(all)
    expect(last.paging.previous).toBeUndefined()
  })
})
