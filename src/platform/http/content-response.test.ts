import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { evaluatePreconditions, rangeStillValid, strongEtag } from './conditional.ts'
import { contentDisposition } from './content-disposition.ts'
import { answerContent, uploadHeaders } from './content-response.ts'
import { parseRange } from './range.ts'

describe('Range of 1,000 bytes', () => {
  const cases: [string | undefined, ReturnType<typeof parseRange>][] = [
    [undefined, 'whole'],
    ['', 'whole'],
    ['bytes=0-499', { start: 0, end: 499 }],
    ['Bytes=500-999', { start: 500, end: 999 }],
    ['bytes= 0-0 ', { start: 0, end: 0 }],
    ['bytes=990-', { start: 990, end: 999 }],
    ['bytes=990-5000', { start: 990, end: 999 }],
    ['bytes=990-99999999999999999999999', { start: 990, end: 999 }],
    ['bytes=-1', { start: 999, end: 999 }],
    ['bytes=-1000', { start: 0, end: 999 }],
    ['bytes=-99999999999999999999999', { start: 0, end: 999 }],
    ['bytes=1000-', 'unsatisfiable'],
    ['bytes=1000-2000', 'unsatisfiable'],
    ['bytes=99999999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=0-1,5-6', 'whole'],
    ['bytes=5-4', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=0x1-2', 'whole'],
    ['bytes=--1', 'whole'],
    ['items=0-1', 'whole'],
    ['0-1', 'whole'],
  ]
  test.each(cases)('%s', (header, expected) => expect(parseRange(header, 1000)).toEqual(expected))
  test('an empty entity satisfies none', () => {
    for (const header of ['bytes=0-', 'bytes=-5', 'bytes=0-0'])
      expect(parseRange(header, 0)).toBe('unsatisfiable')
    expect(parseRange(undefined, 0)).toBe('whole')
  })
})

describe('preconditions', () => {
  const current = { etag: '"v2"', modifiedAt: new Date('2026-03-01T10:00:00.750Z') }
  const same = 'Sun, 01 Mar 2026 10:00:00 GMT'
  const older = 'Sun, 01 Mar 2026 09:59:59 GMT'
  const cases: [string, IncomingHttpHeaders, 'proceed' | 304 | 412][] = [
    ['none', {}, 'proceed'],
    ['current tag', { 'if-none-match': '"v2"' }, 304],
    ['weak form of the current tag', { 'if-none-match': 'W/"v2"' }, 304],
    ['in a list', { 'if-none-match': '"v1", "a,b",W/"v2"' }, 304],
    ['any', { 'if-none-match': '*' }, 304],
    ['other tag', { 'if-none-match': '"v1"' }, 'proceed'],
    ['unquoted tag', { 'if-none-match': 'v2' }, 'proceed'],
    ['the tag outranks the date', { 'if-none-match': '"v1"', 'if-modified-since': same }, 'proceed'],
    ['same date', { 'if-modified-since': same }, 304],
    ['same date in an old form', { 'if-modified-since': 'Sunday, 01-Mar-26 10:00:00 GMT' }, 304],
    ['older date', { 'if-modified-since': older }, 'proceed'],
    ['not a date', { 'if-modified-since': 'yesterday' }, 'proceed'],
    ['number for a date', { 'if-modified-since': '99999' }, 'proceed'],
    ['must match, does', { 'if-match': '"v1", "v2"' }, 'proceed'],
    ['must match, does not', { 'if-match': '"v1"' }, 412],
    ['must match, weak never does', { 'if-match': 'W/"v2"' }, 412],
    ['must match, then not modified', { 'if-match': '*', 'if-none-match': '"v2"' }, 304],
    ['unmodified since', { 'if-unmodified-since': same }, 'proceed'],
    ['modified since', { 'if-unmodified-since': older }, 412],
  ]
  test.each(cases)('%s', (_, headers, expected) =>
    expect(evaluatePreconditions(headers, current)).toBe(expected),
  )

  test('If-Range needs the strong tag or exactly the date', () => {
    expect(rangeStillValid(undefined, current)).toBe(true)
    expect(rangeStillValid('"v2"', current)).toBe(true)
    expect(rangeStillValid('W/"v2"', current)).toBe(false)
    expect(rangeStillValid('"v1"', current)).toBe(false)
    expect(rangeStillValid(same, current)).toBe(true)
    expect(rangeStillValid(older, current)).toBe(false)
    expect(rangeStillValid(same, { etag: '"v2"' })).toBe(false)
  })

  test('a tag is quoted and holds only tag characters', () => {
    expect(strongEtag('ab"c d\r\n')).toBe('"abcd"')
  })
})

describe('Content-Disposition', () => {
  const cases: [string, string][] = [
    ['report.pdf', 'attachment; filename="report.pdf"'],
    ['a b;c=d.txt', 'attachment; filename="a b;c=d.txt"'],
    ['', 'attachment'],
    ['..', 'attachment'],
    ['../../etc/passwd', 'attachment; filename="passwd"'],
    ['C:\\dir\\a.txt', 'attachment; filename="a.txt"'],
    ['say "hi".txt', `attachment; filename="say _hi_.txt"; filename*=UTF-8''say%20%22hi%22.txt`],
    ['50%41.txt', `attachment; filename="50_41.txt"; filename*=UTF-8''50%2541.txt`],
    ['naïve.txt', `attachment; filename="naive.txt"; filename*=UTF-8''na%C3%AFve.txt`],
    [
      '日本 (1)*.png',
      `attachment; filename="__ (1)*.png"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%281%29%2A.png`,
    ],
    ['😀.png', `attachment; filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png`],
    ['a\r\nSet-Cookie: x.txt', 'attachment; filename="aSet-Cookie: x.txt"'],
    ['evil\u202egnp.exe', 'attachment; filename="evilgnp.exe"'],
    ['lone\ud800.txt', `attachment; filename="lone_.txt"; filename*=UTF-8''lone%EF%BF%BD.txt`],
  ]
  test.each(cases)('%j', (name, expected) => expect(contentDisposition('attachment', name)).toBe(expected))

  test('long names keep their extension and never split a character', () => {
    const header = contentDisposition('inline', `${'é'.repeat(300)}.jpeg`)
    const name = decodeURIComponent(header.split("UTF-8''")[1] ?? '')
    expect(name).toMatch(/^é+\.jpeg$/)
    expect(Buffer.byteLength(name)).toBe(199)
  })
})

describe('the answer to a read', () => {
  const entity = { size: 1000, etag: '"v2"', modifiedAt: new Date('2026-03-01T10:00:00Z') }
  const ask = (headers: IncomingHttpHeaders, method = 'GET') => answerContent({ method, headers }, entity)

  test('whole, part, unsatisfiable, not modified, failed, HEAD', () => {
    expect(ask({})).toEqual({
      status: 200,
      headers: {
        etag: '"v2"',
        'last-modified': 'Sun, 01 Mar 2026 10:00:00 GMT',
        'accept-ranges': 'bytes',
        'content-length': '1000',
      },
      body: 'whole',
    })
    const part = ask({ range: 'bytes=10-19', 'if-range': '"v2"' })
    expect(part).toMatchObject({ status: 206, body: { start: 10, end: 19 } })
    expect(part.headers).toMatchObject({ 'content-range': 'bytes 10-19/1000', 'content-length': '10' })
    const past = ask({ range: 'bytes=1000-' })
    expect(past).toMatchObject({ status: 416, body: 'none', headers: { 'content-range': 'bytes */1000' } })
    expect(ask({ range: 'bytes=10-19', 'if-range': '"v1"' })).toMatchObject({ status: 200, body: 'whole' })
    expect(ask({ 'if-none-match': '"v2"', range: 'bytes=0-1' })).toMatchObject({ status: 304, body: 'none' })
    expect(ask({ 'if-match': '"v1"' })).toMatchObject({ status: 412, body: 'none' })
    const head = ask({ range: 'bytes=0-1' }, 'HEAD')
    expect(head).toMatchObject({ status: 200, body: 'none', headers: { 'content-length': '1000' } })
  })

  test('uploads are shown only if inert, and never sniffed', () => {
    const shown = uploadHeaders({ mimeType: 'image/PNG', name: 'a.png' })
    expect(shown).toEqual({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="a.png"',
      'x-content-type-options': 'nosniff',
    })
    for (const mimeType of [
      'image/svg+xml',
      'text/html',
      'application/xhtml+xml',
      'text/xml',
      'a/b\r\nx: y',
      '',
    ]) {
      const headers = uploadHeaders({ mimeType, name: 'a' })
      expect(headers['content-disposition']).toBe('attachment; filename="a"')
      expect(headers['content-security-policy']).toContain('sandbox')
      expect(headers['content-type']).not.toMatch(/[\r\n]/)
    }
  })
})
