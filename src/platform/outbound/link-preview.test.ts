import { describe, expect, test } from 'vitest'
import { decodeHtml } from './decode-html.ts'
import { maxPreviewBytes, parseLinkPreview } from './link-preview.ts'

const page = 'https://www.example.com/a/b?c'
const parse = (html: string, base = page) => parseLinkPreview(html, base)
const empty = { title: null, description: null, image: null, video: null, domain: 'example.com' }

describe('parseLinkPreview', () => {
  test('Open Graph outranks Twitter cards, which outrank plain tags', () => {
    const plain =
      '<html><head><title>\n Plain &amp; simple </title><meta name=description content="plain &quot;d&quot;">' +
      '<link rel="image_src" href="plain.png"></head>'
    expect(parse(plain)).toEqual({
      ...empty,
      title: 'Plain & simple',
      description: 'plain "d"',
      image: 'https://www.example.com/a/plain.png',
    })
    const twitter =
      '<meta name="twitter:title" content="T"><meta name="twitter:description" content="TD">' +
      '<meta name="twitter:image" content="//cdn.example.com/t.png"><meta name="twitter:player:stream" content="/t.mp4">'
    const cards = {
      ...empty,
      title: 'T',
      description: 'TD',
      image: 'https://cdn.example.com/t.png',
      video: 'https://www.example.com/t.mp4',
    }
    expect(parse(plain + twitter)).toEqual(cards)
    const graph =
      '<META PROPERTY="og:title" CONTENT="O"><meta property=" OG:Description " content="OD"><meta name="og:video" content="o.mp4">' +
      '<meta property="og:image" content="http://x.example/o.png"><meta property="og:image:secure_url" content="https://x.example/s.png">' +
      '<meta property="og:image" content="second.png">'
    expect(parse(plain + twitter + graph)).toEqual({
      ...empty,
      title: 'O',
      description: 'OD',
      image: 'https://x.example/s.png',
      video: 'https://www.example.com/a/o.mp4',
    })
  })

  test('empty and unusable values fall through to the next source', () => {
    const html =
      '<meta property="og:title" content="  "><title>Title</title><meta property="og:image:url" content="javascript:alert(1)">' +
      '<meta property="og:image" content="data:image/png;base64,AA"><meta name="twitter:image" content="ok.png">'
    expect(parse(html)).toEqual({ ...empty, title: 'Title', image: 'https://www.example.com/a/ok.png' })
  })

  test('a base element moves relative URLs, unless it is no http URL', () => {
    const html = '<meta property="og:image" content="i.png">'
    expect(parse(`<base href="/img/">${html}`).image).toBe('https://www.example.com/img/i.png')
    expect(parse(`<base href="https://cdn.example/x/">${html}`).image).toBe('https://cdn.example/x/i.png')
    expect(parse(`<base href="data:text/html,x">${html}`).image).toBe('https://www.example.com/a/i.png')
  })

  test('the title is that of the page, not of an icon, and markup in it is text', () => {
    expect(parse('<svg><title>Icon</title></svg><title>A <b>c</b></title>').title).toBe('A <b>c</b>')
    expect(
      parse('<script>"<title>no</title>"</script><!-- <title>no</title> --><title>yes</title>').title,
    ).toBe('yes')
  })

  test('texts are one bounded line without invisible tricks', () => {
    expect(parse('<title>a\n\t b\0c\u202ed\u200be\ufeff</title>').title).toBe('a b cde')
    expect(parse('<title>\u200b \u202e</title>').title).toBeNull()
    const long = parse(
      `<title>${'😀'.repeat(400)}</title><meta name=description content="${'x'.repeat(5000)}">`,
    )
    expect(long.title?.length).toBeLessThanOrEqual(300)
    expect(long.title).toMatch(/^(😀)+…$/u)
    expect(long.description).toBe(`${'x'.repeat(999)}…`)
    expect(parse('<title>&#x1F600;&#xD800;&lt;&unknown;&nbsp;x</title>').title).toBe('😀<&unknown; x')
  })

  test('URLs into private networks, with credentials or too long are dropped', () => {
    const urls = [
      'http://127.0.0.1/x',
      'http://0x7f.1/x',
      'http://[::1]/x',
      'http://localhost/x',
      'http://192.168.0.1/',
      'http://a:b@x.example/',
    ]
    for (const url of [
      ...urls,
      'ftp://x.example/',
      `https://x.example/${'a'.repeat(2000)}`,
      'http://[bad/',
    ]) {
      expect(parse(`<meta property="og:image" content="${url}">`).image, url).toBeNull()
    }
    expect(parse('<meta property="og:image" content="i.png">', 'http://127.0.0.1:8080/').image).toBe(
      'http://127.0.0.1:8080/i.png',
    )
  })

  test('the domain', () => {
    const domains = [
      'https://news.example.com:8443/x',
      'http://WWW.Example.com',
      'https://bücher.example/',
      'http://8.8.8.8/',
    ]
    expect(domains.map((url) => parse('', url).domain)).toEqual([
      'news.example.com',
      'example.com',
      'xn--bcher-kva.example',
      '8.8.8.8',
    ])
  })

  test('any input gives a preview, quickly, from its start only', () => {
    const inputs = [
      '',
      '\0',
      '<',
      '<title>',
      '<meta property',
      '<meta property=og:title content',
      '{"json":1}',
      '<base href="http://[">',
    ]
    for (const input of inputs) expect(parse(input)).toMatchObject({ domain: 'example.com', image: null })
    const hostile = [
      '<a '.repeat(200_000),
      '<div>'.repeat(100_000),
      '&'.repeat(600_000),
      '<!--'.repeat(150_000),
      '<svg><title>'.repeat(50_000),
    ]
    for (const input of [
      ...hostile,
      '<meta '.repeat(100_000),
      '<title>'.repeat(90_000),
      `<title>${' '.repeat(500_000)}x`,
    ]) {
      const start = process.cpuUsage()
      parseLinkPreview(Buffer.from(input), page)
      expect(process.cpuUsage(start).user / 1000, input.slice(0, 20)).toBeLessThan(1500)
    }
    expect(parse(`${' '.repeat(maxPreviewBytes)}<title>late</title>`).title).toBeNull()
  })
})

describe('decodeHtml', () => {
  const utf8 = (text: string) => Buffer.from(text)
  const cases: [string, Buffer, string | undefined, string][] = [
    ['UTF-8 without a word', utf8('<title>Zoë</title>'), undefined, '<title>Zoë</title>'],
    [
      'Windows-1252 without a word',
      Buffer.from('<title>Zo\xeb \x93x\x94</title>', 'latin1'),
      undefined,
      '<title>Zoë “x”</title>',
    ],
    ['header', Buffer.from('\xc4\xe3\xba\xc3', 'latin1'), 'text/html; charset=GBK', '你好'],
    ['quoted header', Buffer.from('\x82\xa0', 'latin1'), 'text/html;charset="shift_jis"', 'あ'],
    ['meta', Buffer.from('<meta charset="koi8-r">\xf0', 'latin1'), undefined, '<meta charset="koi8-r">П'],
    [
      'long meta',
      Buffer.from('<meta http-equiv=content-type content="text/html; charset=koi8-r">\xf0', 'latin1'),
      'text/html',
      '<meta http-equiv=content-type content="text/html; charset=koi8-r">П',
    ],
    [
      'the header outranks meta',
      utf8('<meta charset=koi8-r>ë'),
      'text/html; charset=utf-8',
      '<meta charset=koi8-r>ë',
    ],
    [
      'the mark outranks the header',
      Buffer.from('\xff\xfeh\0i\0', 'latin1'),
      'text/html; charset=utf-8',
      'hi',
    ],
    ['unknown label', utf8('ë'), 'text/html; charset=nonsense', 'ë'],
    ['a meta that lies', utf8('<meta charset=utf-16>ë'), undefined, '<meta charset=utf-16>ë'],
    ['cut within a character', utf8('aë').subarray(0, 2), undefined, 'a'],
  ]
  test.each(cases)('%s', (_, bytes, contentType, expected) =>
    expect(decodeHtml(bytes, contentType)).toBe(expected),
  )
})
