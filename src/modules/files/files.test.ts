import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestAnswer, TestClient } from '../../../test/harness/client.ts'
import { eventually } from '../../../test/harness/eventually.ts'
import { createLocalObjectStore } from '../../platform/object-store/local.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient
let store: ObjectStore
beforeAll(async () => {
  server = await startTestServer()
  ;[alice, bob, admin] = await Promise.all([server.as('alice'), server.as('bob'), server.asAdmin()])
  store = await createLocalObjectStore(join(server.dataDir, 'files'))
})
afterAll(() => server.close())

type Part = [name: string, bytes: Buffer, fileName: string]
const upload = (client: TestClient, kind: string, parts: Part[], fields: Record<string, string> = {}) => {
  const form = new FormData()
  for (const [name, bytes, fileName] of parts) form.append(name, new Blob([new Uint8Array(bytes)]), fileName)
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return client.send('POST', kind.startsWith('/') ? kind : `/api/v4/${kind}`, { body: form })
}
const refusal = ({ status, body }: TestAnswer) => [status, body.code]
const media = (name: string) => readFile(new URL(`../../../test/fixtures/media/${name}`, import.meta.url))
const picture = (format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif', width = 900, height = 300) =>
  sharp({ create: { width, height, channels: 3, background: '#36c' } })
    .withExif({ IFD0: { Make: 'Acme' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .toFormat(format)
    .toBuffer()
const download = (fileId: string, query = '', headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/v3/files/${fileId}/download${query}`, { headers })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('uploads', () => {
  it('answers every field of a picture, and takes its position away', async () => {
    const answer = await upload(alice, 'images', [['files', await picture('jpeg'), 'sea.jpg']], {
      altText: 'The sea',
    })
    expect(answer.status).toBe(200)
    const [file] = answer.body
    expect(file).toEqual({
      fileId: expect.stringMatching(/^[0-9a-f]{24}$/),
      fileUrl: `${server.url}/api/v3/files/${file.fileId}/download`,
      type: 'image',
      altText: 'The sea',
      accessType: 'public',
      attributes: {
        name: 'sea.jpg',
        extension: 'jpg',
        size: expect.any(Number),
        mimeType: 'image/jpeg',
        metadata: {
          width: 900,
          height: 300,
          exif: expect.objectContaining({ Make: 'Acme' }),
          gps: {},
          isFull: true,
        },
      },
      isDeleted: false,
      deletedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const { exif } = await sharp(await bytesOf(await download(file.fileId))).metadata()
    expect(exif!.includes('Acme')).toBe(true)
    expect(exif!.includes(Buffer.from([51, 0, 0, 0, 1, 0, 0, 0, 30, 0, 0, 0]))).toBe(false)
  })

  it.each([
    ['videos', 'clip.mp4', 'video', 'video/mp4'],
    ['videos', 'clip.mov', 'video', 'video/quicktime'],
    ['videos', 'clip.webm', 'video', 'video/webm'],
    ['clips', 'clip.mp4', 'clip', 'video/mp4'],
    ['audios', 'tone.mp3', 'audio', 'audio/mpeg'],
    ['files', 'README.md', 'file', 'application/octet-stream'],
  ])('to %s take %s', async (kind, name, type, mimeType) => {
    const { status, body } = await upload(alice, kind, [['files', await media(name), name]], {
      feedType: 'post',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject([{ type, attributes: { name, mimeType } }])
    if (type !== 'video' && type !== 'clip') return
    expect(body[0]).toMatchObject({ feedType: 'post', status: 'transcoded' })
    expect(body[0].videoUrl.original).toContain(body[0].fileId)
  })

  it('hold several files, under any part name; the older path wraps them', async () => {
    const png = await picture('png', 4, 4)
    const several = await upload(alice, 'images', [
      ['files', png, 'a.png'],
      ['file', png, 'b.png'],
    ])
    expect(several.body.map((file: { attributes: { name: string } }) => file.attributes.name)).toEqual([
      'a.png',
      'b.png',
    ])
    const older = await upload(alice, '/api/v3/files', [['file', png, 'c.png']], {
      preferredFilename: 'named.png',
    })
    expect(older.body).toMatchObject({
      status: 'success',
      data: [{ type: 'file', attributes: { name: 'named.png' } }],
    })
  })

  it('as a file, a picture loses its position too', async () => {
    const before = await picture('jpeg')
    const { body } = await upload(alice, 'files', [['files', before, 'sea.jpg']])
    const after = await bytesOf(await download(body[0].fileId))
    expect(after).toHaveLength(before.length)
    const latitude = Buffer.from([51, 0, 0, 0, 1, 0, 0, 0, 30, 0, 0, 0])
    expect([before.includes(latitude), after.includes(latitude)]).toEqual([true, false])
  })

  it('of another type than they say are refused, and nothing is kept', async () => {
    const count = async () =>
      Number(
        (
          await server.app.db
            .selectFrom('files')
            .select((e) => e.fn.countAll().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      )
    const before = await count()
    const text = Buffer.from('no picture')
    for (const kind of ['images', 'videos', 'clips', 'audios'])
      expect([kind, ...refusal(await upload(alice, kind, [['files', text, 'a.png']]))]).toEqual([
        kind,
        400,
        400000,
      ])
    const cut = (await picture('png')).subarray(0, 60)
    expect((await upload(alice, 'images', [['files', cut, 'a.png']])).status).toBe(400)
    expect((await upload(alice, 'audios', [['files', await media('clip.mp4'), 'a.mp3']])).status).toBe(400)
    expect((await upload(alice, 'images', [])).status).toBe(400)
    expect((await alice.post('/api/v4/images', {})).status).toBe(415)
    expect(
      (
        await upload(alice, 'images', [['files', await picture('png', 4, 4), 'a.png']], {
          altText: 'x'.repeat(181),
        })
      ).status,
    ).toBe(422)
    expect(
      (
        await upload(alice, 'images', [['files', await picture('png', 4, 4), 'a.png']], {
          accessType: 'mine',
        })
      ).status,
    ).toBe(422)
    expect(await count()).toBe(before)
  })
})

describe('downloads', () => {
  it.each([
    ['jpeg', 'image/jpeg'],
    ['png', 'image/png'],
    ['gif', 'image/gif'],
    ['webp', 'image/webp'],
    ['avif', 'image/webp'],
  ] as const)('of %s come in smaller forms of type %s', async (format, mimeType) => {
    const { body } = await upload(alice, 'images', [['files', await picture(format), `a.${format}`]])
    const { fileId } = body[0]
    for (const [size, width] of [
      ['small', 160],
      ['medium', 600],
      ['large', 900],
    ] as const) {
      const response = await download(fileId, `?size=${size}`)
      expect(response.headers.get('content-type')).toBe(mimeType)
      expect(response.headers.get('cache-control')).toContain('immutable')
      const shown = await sharp(await bytesOf(response)).metadata()
      expect([`image/${shown.format}`, shown.width]).toEqual([mimeType, width])
    }
    expect((await download(fileId)).headers.get('content-type')).toBe(`image/${format}`)
    expect((await download(fileId, '?size=huge')).status).toBe(422)
  })

  it('come in ranges, and not again when the client has them', async () => {
    const bytes = await media('clip.mp4')
    const { body } = await upload(alice, 'videos', [['files', bytes, 'a.mp4']])
    const { fileId } = body[0]
    const part = await download(fileId, '', { range: 'bytes=10-19' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`])
    expect(await bytesOf(part)).toEqual(bytes.subarray(10, 20))
    const beyond = await download(fileId, '', { range: `bytes=${bytes.length}-` })
    expect(beyond.status).toBe(416)
    const whole = await download(fileId)
    expect(await bytesOf(whole)).toEqual(bytes)
    const again = await download(fileId, '', { 'if-none-match': whole.headers.get('etag')! })
    expect([again.status, (await bytesOf(again)).length]).toEqual([304, 0])
  })

  it('of what is for the network take a token, in the header or the query', async () => {
    const { body } = await upload(alice, 'files', [['files', Buffer.from('inside'), 'a.txt']], {
      accessType: 'network',
    })
    const { fileId, accessType } = body[0]
    expect(accessType).toBe('network')
    expect((await download(fileId)).status).toBe(401)
    expect((await download(fileId, '?access_token=nonsense')).status).toBe(401)
    for (const query of [
      `?access_token=${bob.accessToken}`,
      `?upstra-access-token=${bob.accessToken}`,
      `?t=${bob.accessToken}`,
    ])
      expect(await (await download(fileId, query)).text()).toBe('inside')
    const response = await download(fileId, '', { authorization: `Bearer ${bob.accessToken}` })
    expect(response.headers.get('cache-control')).toContain('private')
  })

  it('never run in the reader’s browser', async () => {
    const page = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const { body } = await upload(alice, 'files', [['files', page, 'a.svg']])
    const { headers } = await download(body[0].fileId)
    expect(headers.get('content-disposition')).toContain('attachment')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('of bytes that are gone answer 404', async () => {
    const { body } = await upload(alice, 'files', [['files', Buffer.from('x'), 'a.txt']])
    await store.delete(`files/${body[0].fileId}/original`)
    expect((await download(body[0].fileId)).status).toBe(404)
  })
})

describe('a file', () => {
  it('is read at the top level and under data', async () => {
    const { body } = await upload(alice, 'files', [['files', Buffer.from('x'), 'a.txt']])
    const read = await bob.get(`/api/v3/files/${body[0].fileId}`)
    expect(read.body).toMatchObject({ status: 'success', ...body[0], data: body[0] })
    expect(refusal(await bob.get(`/api/v3/files/${'0'.repeat(24)}`))).toEqual([404, 400400])
    expect((await bob.get(`/api/v3/files/${'x'.repeat(50)}`)).status).toBe(404)
    expect((await bob.get(`/api/v3/files/${'x'.repeat(51)}`)).status).toBe(422)
  })

  it('has its alt text changed by who sent it and by admins', async () => {
    const { body } = await upload(alice, 'images', [['files', await picture('png', 4, 4), 'a.png']])
    const path = `/api/v3/files/${body[0].fileId}`
    expect((await alice.put(path, { altText: 'A' })).body).toMatchObject({ altText: 'A' })
    expect((await admin.put(path, { altText: 'x'.repeat(180) })).status).toBe(200)
    expect((await alice.put(path, { altText: 'x'.repeat(181) })).status).toBe(422)
    expect(refusal(await bob.put(path, { altText: 'B' }))).toEqual([403, 400301])
  })

  it('is deleted with its bytes and smaller forms by who sent it', async () => {
    const { body } = await upload(alice, 'images', [['files', await picture('png'), 'a.png']])
    const { fileId } = body[0]
    const path = `/api/v3/files/${fileId}`
    await download(fileId, '?size=small')
    expect(await store.stat(`files/${fileId}/small`)).not.toBeNull()
    expect(refusal(await bob.delete(path))).toEqual([403, 400301])
    expect((await alice.delete(path)).body).toEqual({ status: 'success', data: { fileId } })
    expect(refusal(await alice.delete(path))).toEqual([404, 400400])
    expect((await alice.get(path)).status).toBe(404)
    expect((await download(fileId)).status).toBe(404)
    for (const form of ['original', 'small'])
      await eventually(async () => (await store.stat(`files/${fileId}/${form}`)) === null)
  })
})
