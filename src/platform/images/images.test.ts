import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imageFormatOf } from './format.ts'
import { isImageError } from './image-errors.ts'
import { inspectImage } from './inspect.ts'
import { imageSizes, resizeTo } from './resize.ts'

let dir: string
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'images-'))))
afterAll(() => rm(dir, { recursive: true }))

const exif = {
  IFD0: { Make: 'Acme', Model: 'X1', Copyright: 'Ann\u0001 B' },
  IFD2: { ExposureTime: '1/100', FNumber: '28/10', DateTimeOriginal: '2026:01:01 10:00:00' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 30/1 3230/100',
    GPSLongitudeRef: 'W',
    GPSLongitude: '0/1 7/1 1/0',
  },
}
// Left half red, right half blue, so that turning shows.
const picture = (width = 800, height = 400) =>
  sharp({ create: { width, height, channels: 3, background: '#d00' } }).composite([
    {
      input: { create: { width: width / 2, height, channels: 3, background: '#00d' } },
      left: width / 2,
      top: 0,
    },
  ])
const animation = async (frames: number, format: 'gif' | 'webp', size = 64) => {
  const colours = Array.from({ length: frames }, (_, i) => ({ r: (i * 40) % 256, g: i % 256, b: 90 }))
  const images = colours.map((background) => ({
    create: { width: size, height: size / 2, channels: 3 as const, background },
  }))
  const pngs = await Promise.all(images.map((image) => sharp(image).png().toBuffer()))
  return sharp(pngs, { join: { animated: true } })
    [format]({ delay: pngs.map(() => 50) })
    .toBuffer()
}
const codeOf = async (work: Promise<unknown>) => {
  const outcome = await work.catch((error: unknown) => error)
  return isImageError(outcome) ? outcome.code : outcome
}

describe('inspectImage', () => {
  test.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    '%s: size as shown, EXIF and position as plain maps',
    async (format) => {
      const bytes = await picture()
        .withExif(exif)
        .withMetadata({ orientation: 6 })
        .toFormat(format)
        .toBuffer()
      const info = await inspectImage(bytes)
      expect(info).toMatchObject({ format, width: 400, height: 800, frames: 1, resizable: true })
      expect(info?.exif).toMatchObject({
        Make: 'Acme',
        Model: 'X1',
        Copyright: 'Ann  B',
        ExposureTime: 0.01,
        FNumber: 2.8,
        DateTimeOriginal: '2026:01:01 10:00:00',
      })
      // A rational divided by zero is no number, so the longitude is left out.
      expect(info?.gps).toEqual({ GPSLatitudeRef: 'N', GPSLatitude: [51, 30, 32.3], GPSLongitudeRef: 'W' })
      expect(JSON.parse(JSON.stringify(info))).toEqual(info)
      const path = join(dir, `inspect.${format}`)
      await writeFile(path, bytes)
      expect(await inspectImage(path)).toEqual(info)
    },
  )

  test('animations: size of a frame, number of frames', async () => {
    for (const format of ['gif', 'webp'] as const) {
      const info = await inspectImage(await animation(3, format))
      expect(info).toMatchObject({ format, width: 64, height: 32, frames: 3, exif: {}, gps: {} })
    }
  })

  test('what is no image of the accepted formats is null, also SVG, PDF and TIFF', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'
    const tiff = await picture().tiff().toBuffer()
    for (const bytes of ['', 'GIF', 'hello', svg, '%PDF-1.7\n', '\0\0\0\x18ftypmp42\0\0\0\0mp42isom', tiff]) {
      expect(await inspectImage(Buffer.from(bytes))).toBeNull()
    }
    await expect(inspectImage(join(dir, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a generic HEIF brand that lists AVIF is AVIF; HEVC is HEIC', () => {
    const ftyp = (main: string, ...others: string[]) =>
      Buffer.from(
        `\0\0\0${String.fromCharCode(16 + 4 * others.length)}ftyp${main}\0\0\0\0${others.join('')}avif`,
        'latin1',
      )
    expect(imageFormatOf(ftyp('mif1', 'avif'))).toBe('avif')
    expect(imageFormatOf(ftyp('heic', 'mif1'))).toBe('heic')
    expect(imageFormatOf(ftyp('isom', 'avif'))).toBeNull()
  })

  test('a pixel bomb is refused before it is decoded', async () => {
    expect(await codeOf(inspectImage(pngOf(20_000, 20_000)))).toBe('tooManyPixels')
    expect(await codeOf(resizeTo(pngOf(60_000, 60_000), 160))).toBe('tooManyPixels')
    const interlaced = pngOf(10_000, 10_000, 1)
    expect(await codeOf(inspectImage(interlaced))).toBe('tooManyPixels')
    expect(await inspectImage(pngOf(10_000, 10_000))).toMatchObject({ width: 10_000 })
  })

  test('broken headers are corrupt', async () => {
    for (const head of [
      '\xff\xd8\xff\xe0',
      '\x89PNG\r\n\x1a\n',
      'GIF89a',
      'RIFF\0\0\0\0WEBPVP8 ',
      '\0\0\0\x14ftypavif\0\0\0\0avif',
    ]) {
      expect(await codeOf(inspectImage(Buffer.from(head + 'x'.repeat(50), 'latin1'))), head).toBe('corrupt')
    }
  })
})

describe('resizeTo', () => {
  test('sizes of the interface, by the longest edge, upright, without metadata', async () => {
    expect(imageSizes).toEqual({ small: 160, medium: 600, large: 1500 })
    const bytes = await picture(2000, 1000).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    for (const edge of Object.values(imageSizes)) {
      const made = await resizeTo(bytes, edge)
      expect(made).toMatchObject({ mimeType: 'image/jpeg', width: edge / 2, height: edge })
      const metadata = await sharp(made.data).metadata()
      expect(metadata).toMatchObject({ width: edge / 2, height: edge })
      expect([metadata.exif, metadata.xmp, metadata.orientation]).toEqual([undefined, undefined, undefined])
    }
    // Orientation 6 turns a quarter clockwise: what was left is on top.
    const { data } = await sharp((await resizeTo(bytes, 160)).data)
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(data[0]).toBeGreaterThan(180)
    expect(data.at(-1)).toBeGreaterThan(180)
  })

  test('never enlarges', async () => {
    expect(await resizeTo(await picture(80, 40).png().toBuffer(), 600)).toMatchObject({
      width: 80,
      height: 40,
    })
    expect(await resizeTo(await picture(3000, 2).png().toBuffer(), 160)).toMatchObject({
      width: 160,
      height: 1,
    })
  })

  test('formats stay, AVIF becomes WebP; from buffer, path and stream alike', async () => {
    const path = join(dir, 'any')
    for (const [from, to] of [
      ['jpeg', 'jpeg'],
      ['png', 'png'],
      ['webp', 'webp'],
      ['avif', 'webp'],
      ['gif', 'gif'],
    ] as const) {
      const bytes = await picture().toFormat(from).toBuffer()
      await writeFile(path, bytes)
      const made = await resizeTo(bytes, 160)
      expect(made).toMatchObject({ mimeType: `image/${to}`, width: 160, height: 80 })
      expect(await resizeTo(path, 160)).toEqual(made)
      expect(await resizeTo(createReadStream(path), 160)).toEqual(made)
    }
  })

  test('transparency is kept', async () => {
    const clear = await sharp({ create: { width: 300, height: 300, channels: 4, background: '#0000' } })
      .png()
      .toBuffer()
    expect(await sharp((await resizeTo(clear, 160)).data).metadata()).toMatchObject({ hasAlpha: true })
  })

  test('animations stay animated, with their timing; too many frames give the first', async () => {
    for (const format of ['gif', 'webp'] as const) {
      const made = await resizeTo(await animation(4, format, 400), 160)
      expect(made).toMatchObject({ mimeType: `image/${format}`, width: 160, height: 80 })
      expect(await sharp(made.data).metadata()).toMatchObject({ pages: 4, delay: [50, 50, 50, 50] })
    }
    const long = await resizeTo(await animation(501, 'gif', 8), 160)
    expect(long).toMatchObject({ width: 8, height: 4 })
    expect((await sharp(long.data).metadata()).pages ?? 1).toBe(1)
  })

  test('cut-off files are corrupt, not half pictures', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
      const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
      const bytes = await sharp({
        create: { width: 300, height: 300, channels: 3, background: '#fff', noise },
      })
        .toFormat(format)
        .toBuffer()
      const cut = bytes.subarray(0, Math.floor(bytes.length * 0.6))
      expect(await codeOf(resizeTo(cut, 160)), format).toBe('corrupt')
    }
  })

  test('no image, a broken stream and many at once', async () => {
    expect(await codeOf(resizeTo(Buffer.from('hello'), 160))).toBe('unsupported')
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(10)
        throw new Error('connection reset')
      })(),
    )
    await expect(resizeTo(broken, 160)).rejects.toThrow('connection reset')
    const bytes = await picture().jpeg().toBuffer()
    const outcomes = await Promise.all(Array.from({ length: 250 }, () => codeOf(resizeTo(bytes, 160))))
    const busy = outcomes.filter((each) => each === 'busy').length
    expect(busy).toBe(48)
  })
})

/** A PNG that claims to be large, with next to no pixel data. */
function pngOf(width: number, height: number, interlace = 0): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, interlace], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', Buffer.alloc(20)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
