import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clearGpsDirectory, clearXmpPosition } from './clear-position.ts'
import { readExif } from './exif.ts'
import { inspectImage } from './inspect.ts'
import { stripPosition } from './strip-position.ts'

let dir: string
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'images-'))))
afterAll(() => rm(dir, { recursive: true }))

const gps = {
  GPSLatitudeRef: 'N',
  GPSLatitude: '51/1 30/1 3230/100',
  GPSLongitudeRef: 'W',
  GPSLongitude: '0/1 7/1 0/1',
}
const exif = { IFD0: { Make: 'Acme', Model: 'X1' }, IFD2: { FNumber: '28/10' }, IFD3: gps }
const xmp = (inside: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
  `<rdf:Description dc:title="Hello" ${inside}</rdf:RDF></x:xmpmeta>`
const located = xmp(
  'exif:GPSLatitude="51,30.54N"><exif:GPSLongitude>0,7.73W</exif:GPSLongitude></rdf:Description>',
)
const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
const picture = () => sharp({ create: { width: 120, height: 80, channels: 3, background: '#fff', noise } })

async function strip(name: string, bytes: Buffer) {
  const path = join(dir, name)
  await writeFile(path, bytes)
  const changed = await stripPosition(path)
  return { changed, after: await readFile(path), path }
}

test.each(['jpeg', 'png', 'webp', 'avif'] as const)(
  '%s: position gone, all else and every pixel kept',
  async (format) => {
    const bytes = await picture().withExif(exif).withXmp(located).toFormat(format).toBuffer()
    const before = await inspectImage(bytes)
    expect(before?.gps).toHaveProperty('GPSLatitude')
    const { changed, after, path } = await strip(`a.${format}`, bytes)
    expect(changed).toBe(true)
    expect(after.length).toBe(bytes.length)
    expect(await inspectImage(after)).toEqual({ ...before, gps: {} })
    expect((await sharp(after).raw().toBuffer()).equals(await sharp(bytes).raw().toBuffer())).toBe(true)
    const packet = (await sharp(after).metadata()).xmpAsString ?? ''
    // The encoder compresses the packet of a PNG, so it can only go as a whole.
    if (format !== 'png') expect(packet).toContain('dc:title="Hello"')
    expect(packet).not.toMatch(/51,30|0,7\.73/)
    expect(await stripPosition(path)).toBe(false)
  },
)

test('a picture without position, or no picture at all, is not touched', async () => {
  const plain = await picture()
    .withExif({ IFD0: { Make: 'Acme' } })
    .jpeg()
    .toBuffer()
  for (const bytes of [
    plain,
    await picture().gif().toBuffer(),
    Buffer.from('Exif\0\0II*\0hello'),
    Buffer.alloc(0),
  ]) {
    const { changed, after } = await strip('plain', bytes)
    expect(changed).toBe(false)
    expect(after.equals(bytes)).toBe(true)
  }
})

test('JPEG: pictures embedded behind the main one are cleared too', async () => {
  const one = await picture().withExif(exif).jpeg().toBuffer()
  const { after } = await strip('double.jpg', Buffer.concat([one, one]))
  for (const half of [after.subarray(0, one.length), after.subarray(one.length)]) {
    expect((await inspectImage(half))?.gps).toEqual({})
  }
})

test('PNG: compressed and hex-coded profiles become padding, checksums hold', async () => {
  const plain = await picture().png().toBuffer()
  const packed = deflateSync(located)
  const raw = `\nexif\n  ${bigEndian().length + 6}\n${Buffer.from('Exif\0\0').toString('hex')}${bigEndian().toString('hex')}\n`
  const chunks = [
    chunk('zTXt', Buffer.concat([Buffer.from('Raw profile type exif\0\0'), deflateSync(raw)])),
    chunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\u0001\0\0\0'), packed])),
    chunk('tEXt', Buffer.from('exif:GPSLatitude\u000051/1, 30/1, 0/1')),
    chunk('tEXt', Buffer.from('Comment\0kept')),
  ]
  const bytes = Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)])
  const { changed, after } = await strip('text.png', bytes)
  expect(changed).toBe(true)
  expect(after.length).toBe(bytes.length)
  expect((await sharp(after).raw().toBuffer()).equals(await sharp(plain).raw().toBuffer())).toBe(true)
  expect((await sharp(after).metadata()).comments).toEqual([{ keyword: 'Comment', text: 'kept' }])
  expect(after.includes(packed) || after.includes(deflateSync(raw))).toBe(false)
  expect(after.includes('51/1, 30/1')).toBe(false)
  for (let at = 8; at < after.length; at += 12 + after.readUInt32BE(at)) {
    const body = after.subarray(at + 4, at + 8 + after.readUInt32BE(at))
    expect(after.readUInt32BE(at + 4 + body.length)).toBe(crc32(body))
  }
})

describe('XMP packets', () => {
  const cases: [string, string, string][] = [
    ['attribute', 'exif:GPSLatitude="51,30N"/>', 'exif:GPSLatitude="      "/>'],
    ['single quotes', "exif:GPSAltitude = '12/1'/>", "exif:GPSAltitude = '    '/>"],
    ['drone', 'drone-dji:GpsLatitude="51"/>', 'drone-dji:GpsLatitude="  "/>'],
    ['element', '><exif:GPSLatitude>51N</exif:GPSLatitude>', '><exif:GPSLatitude>   </exif:GPSLatitude>'],
    ['nested', '><a:GPSx><rdf:li>51</rdf:li></a:GPSx>t', '><a:GPSx><rdf:li>  </rdf:li></a:GPSx>t'],
    ['empty element', '><a:GPSx/>51', '><a:GPSx/>51'],
    ['other', 'dc:title="GPS: 51"/>', 'dc:title="GPS: 51"/>'],
  ]
  test.each(cases)('%s', (_, inside, expected) => {
    const packet = Buffer.from(xmp(inside))
    expect(clearXmpPosition(packet)).toBe(inside !== expected)
    expect(packet.toString()).toBe(xmp(expected))
  })

  test('hostile packets take linear time, and binary parts survive', () => {
    for (const unit of ['<a:gps>', ':gps="', 'a', '<', ':gps ', '<a:gps']) {
      const packet = Buffer.from(unit.repeat(4_000_000 / unit.length))
      const start = process.cpuUsage()
      clearXmpPosition(packet)
      expect(process.cpuUsage(start).user / 1000, unit).toBeLessThan(2000)
    }
    const split = Buffer.from('<a:GPSx>12\0\u0001\u000234<b/>', 'latin1')
    expect(clearXmpPosition(split)).toBe(false)
  })
})

describe('EXIF blocks', () => {
  test('big-endian blocks are read and cleared alike', () => {
    const block = bigEndian()
    expect(readExif(block)).toEqual({
      exif: { Make: 'Acme', Orientation: 6 },
      gps: { GPSLatitudeRef: 'N', GPSLatitude: [51, 30, 0.5] },
    })
    expect(clearGpsDirectory(block)).toBe(true)
    expect(readExif(block)).toEqual({ exif: { Make: 'Acme', Orientation: 6 }, gps: {} })
    expect(clearGpsDirectory(block)).toBe(false)
  })

  test('20,000 damaged blocks are read and cleared without an error', async () => {
    const metadata = await sharp(await picture().withExif(exif).jpeg().toBuffer()).metadata()
    const originals = [bigEndian(), metadata.exif!.subarray(6)]
    let seed = 1
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below
    for (let round = 0; round < 20_000; round += 1) {
      const block = Buffer.from(originals[round % 2]!.subarray(0, random(10) ? undefined : random(300)))
      for (let i = random(6); i >= 0; i -= 1)
        if (block.length > 4) block[4 + random(block.length - 4)] = random(3) ? random(256) : 255
      JSON.stringify(readExif(block))
      clearGpsDirectory(block)
      expect(readExif(block).gps).toEqual({})
    }
  })
})

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** A hand-made block: Make, Orientation, a GPS directory with a reference and three rationals. */
function bigEndian(): Buffer {
  const entry = (tag: number, type: number, count: number, value: string) =>
    [tag, type].map((each) => each.toString(16).padStart(4, '0')).join('') +
    count.toString(16).padStart(8, '0') +
    value
  const main = [
    entry(0x10f, 2, 5, '00000032'),
    entry(0x112, 3, 1, '00060000'),
    entry(0x8825, 4, 1, '00000038'),
  ]
  const position = [entry(1, 2, 2, '4e000000'), entry(2, 5, 3, '00000056')]
  const make = Buffer.from('Acme\0\0').toString('hex')
  const latitude = [51, 1, 30, 1, 1, 2].map((each) => each.toString(16).padStart(8, '0'))
  return Buffer.from(
    [
      '4d4d002a00000008',
      '0003',
      ...main,
      '00000000',
      make,
      '0002',
      ...position,
      '00000000',
      ...latitude,
    ].join(''),
    'hex',
  )
}
