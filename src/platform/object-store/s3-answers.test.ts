import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeOf, keysOf } from '../../../test/object-store/contract.ts'
import type { ObjectStore } from './object-store.ts'
import { ConfigError, readConfig } from '../../config.ts'
import { createS3ObjectStore } from './s3.ts'

// The answers are those of the S3 API reference and of stores in use: what the store makes of them, without a server.
interface Call {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: Buffer
}
interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Ends the connection in the middle of the body. */
  cut?: boolean
}

let server: Server
let folder: string
let calls: Call[]
let reply: (call: Call) => Reply
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 's3-answers-'))
  calls = []
  reply = () => emptyList
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname: path, searchParams: query } = new URL(request.url!, 'http://s3')
  const { method = '', headers } = request
  const call = { method, path, query, headers, body: await buffer(request) }
  calls.push(call)
  const { status = 200, headers: more = {}, body = '', cut = false } = reply(call)
  response.writeHead(status, { 'content-type': 'application/xml', ...more })
  if (!cut) return void response.end(method === 'HEAD' ? undefined : body)
  response.write(body)
  setTimeout(() => response.destroy(), 20)
}

const options = { contentType: 'image/jpeg', maxBytes: 100_000_000 }
const emptyList: Reply = { body: '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>' }
const refusal = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>${code}</Code><Message>As told</Message><Resource>/bucket/a</Resource><RequestId>4442587FB7D0A2F9</RequestId></Error>`,
})

function open(): Promise<ObjectStore> {
  const settings = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-west-3',
    bucket: 'bucket',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    prefix: 'hubbub/',
    forcePathStyle: true,
  }
  return createS3ObjectStore(settings, join(folder, 'downloads'))
}

async function opened(): Promise<ObjectStore> {
  const store = await open()
  calls.length = 0
  return store
}

/** Answers the calls of a multipart upload, some of them otherwise. */
const multipart =
  (otherwise: Partial<Record<'part' | 'complete' | 'abort', Reply>> = {}) =>
  ({ method, query }: Call): Reply => {
    if (query.has('uploads'))
      return { body: '<InitiateMultipartUploadResult><UploadId>VXBsb2Fk</UploadId></InitiateMultipartUploadResult>' } // prettier-ignore
    if (method === 'PUT') return otherwise.part ?? { headers: { etag: `"part-${query.get('partNumber')}"` } }
    if (method === 'DELETE') return otherwise.abort ?? { status: 204 }
    return otherwise.complete ?? { body: '<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>' } // prettier-ignore
  }
const large = () => Readable.from([Buffer.alloc(9_000_000, 1), Buffer.alloc(9_000_000, 2)])
const told = () => calls.map(({ method, query }) => `${method} ${query.get('partNumber') ?? ''}`.trim())

test('what keeps the bucket from being used is said in terms of the settings', async () => {
  const cases: [Reply, string][] = [
    [refusal(403, 'InvalidAccessKeyId'), 'S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY is wrong'],
    [refusal(403, 'SignatureDoesNotMatch'), 'S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY is wrong'],
    [refusal(403, 'AccessDenied'), 'that key may not list the bucket bucket'],
    [refusal(404, 'NoSuchBucket'), 'there is no bucket bucket (S3_BUCKET)'],
    [refusal(301, 'PermanentRedirect'), 'S3_REGION or S3_ENDPOINT is not that of the bucket'],
    [refusal(400, 'AuthorizationHeaderMalformed'), 'S3_REGION or S3_ENDPOINT is not that of the bucket'],
    [refusal(403, 'RequestTimeTooSkewed'), 'the clock of this machine is wrong'],
    [refusal(400, 'InvalidBucketName'), 'it answered InvalidBucketName'],
  ]
  for (const [answer, message] of cases) {
    reply = () => answer
    await expect(open(), message).rejects.toMatchObject({
      expected: true,
      message: expect.stringContaining(message),
    })
  }
  reply = () => ({ body: '<html>a web page</html>' })
  await expect(open()).rejects.toMatchObject({
    expected: true,
    message: expect.stringMatching(/no S3 store$/),
  })
})

test('a short object goes in one signed request, a long one in parts of one size', async () => {
  const store = await opened()
  reply = () => ({ headers: { etag: '"whole"' } })
  await store.put('files/a1', Readable.from(['short']), options)
  expect(calls).toMatchObject([{ method: 'PUT', path: '/bucket/hubbub/files/a1' }])
  expect(calls[0]!.headers).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': '5',
    'x-amz-content-sha256': 'f9b0078b5df596d2ea19010c001bbd009e651de2c57e8fb7e355f31eb9d3f739',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-west-3\/s3\/aws4_request, SignedHeaders=.*x-amz-content-sha256.*, Signature=[0-9a-f]{64}$/,
    ),
  })

  calls = []
  reply = multipart()
  expect((await store.put('files/a1', large(), options)).size).toBe(18_000_000)
  expect(told()).toEqual(['POST', 'PUT 1', 'PUT 2', 'PUT 3', 'POST'])
  expect(calls.map(({ body }) => body.length).slice(1, 4)).toEqual([2 ** 23, 2 ** 23, 18_000_000 - 2 ** 24])
  expect(calls[0]!.headers['content-type']).toBe('image/jpeg')
  const parts = [...calls[4]!.body.toString().matchAll(/<PartNumber>(\d)<\/PartNumber>/g)].map(([, n]) => n)
  expect(parts).toEqual(['1', '2', '3'])
})

test('an upload in parts that fails is aborted, also when only its last answer says so', async () => {
  const store = await opened()
  reply = multipart({ part: refusal(403, 'AccessDenied') })
  expect(await codeOf(store.put('files/a1', large(), options))).toBe('unavailable')
  expect(told().at(-1)).toBe('DELETE')
  // A store may begin to answer before it knows: then an error comes with status 200.
  calls = []
  reply = multipart({ complete: { ...refusal(200, 'InternalError') } })
  expect(await codeOf(store.put('files/a1', large(), options))).toBe('unavailable')
  expect(told().at(-1)).toBe('DELETE')
  calls = []
  reply = multipart({ part: refusal(403, 'QuotaExceeded'), abort: refusal(403, 'AccessDenied') })
  expect(await codeOf(store.put('files/a1', large(), options))).toBe('storageFull')
})

test('a full store is its own error; others are tried three times where that may help', async () => {
  const store = await opened()
  const put = async (answer: Reply) => {
    calls = []
    reply = () => answer
    return [await codeOf(store.put('files/a1', Readable.from(['x']), options)), calls.length]
  }
  expect(await put(refusal(403, 'QuotaExceeded'))).toEqual(['storageFull', 1])
  expect(await put(refusal(400, 'EntityTooLarge'))).toEqual(['storageFull', 1])
  expect(await put(refusal(400, 'XMinioAdminBucketQuotaExceeded'))).toEqual(['storageFull', 1])
  expect((await put(refusal(507, 'XMinioStorageFull')))[0]).toBe('storageFull')
  expect(await put(refusal(403, 'AccessDenied'))).toEqual(['unavailable', 1])
  expect(await put(refusal(404, 'NoSuchBucket'))).toEqual(['unavailable', 1])
  expect(await put(refusal(500, 'InternalError'))).toEqual(['unavailable', 3])
  server.closeAllConnections()
  server.close()
  expect(await codeOf(store.stat('files/a1'))).toBe('unavailable')
})

test('absent objects, ranges and refusals of a read', async () => {
  const store = await opened()
  reply = () => refusal(404, 'NoSuchKey')
  expect([await store.get('files/a1'), await store.stat('files/a1')]).toEqual([null, null])
  await store.delete('files/a1')
  reply = () => refusal(416, 'InvalidRange')
  expect(await codeOf(store.get('files/a1', { start: 7 }))).toBe('badRange')
  reply = () => refusal(404, 'NoSuchBucket')
  expect(await codeOf(store.get('files/a1'))).toBe('unavailable')
  expect(await codeOf(keysOf(store))).toBe('unavailable')

  calls = []
  reply = () => ({ status: 206, headers: { 'content-range': 'bytes 2-4/443' }, body: 'abc' })
  const part = await store.get('files/a1', { start: 2, end: 4 })
  expect([part!.size, String(await buffer(part!.stream))]).toEqual([443, 'abc'])
  expect(calls[0]!.headers.range).toBe('bytes=2-4')
  // A store that sends the whole object all the same.
  reply = () => ({ body: 'whole' })
  expect(await codeOf(store.get('files/a1', { start: 2, end: 4 }))).toBe('unavailable')
})

test('a download that breaks off lends no file and leaves none', async () => {
  const store = await opened()
  reply = () => ({ headers: { 'content-length': '100' }, body: 'half', cut: true })
  const lent = store.withFile('files/a1', () => Promise.resolve('used'))
  expect(await codeOf(lent)).toBe('unavailable')
  expect(await readdir(join(folder, 'downloads'))).toEqual([])
})

test('a listing goes on page by page, without what is none of ours', async () => {
  const store = await opened()
  const page = (keys: string[], next = '') => `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>
<IsTruncated>${next !== ''}</IsTruncated>${next && `<NextContinuationToken>${next}</NextContinuationToken>`}
${keys.map((key) => `<Contents><Key>${key}</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified><Size>434234</Size></Contents>`).join('')}
</ListBucketResult>`
  reply = ({ query }) =>
    query.has('continuation-token')
      ? { body: page(['hubbub/files/a2', 'hubbub/.DS_Store']) }
      : { body: page(['hubbub/files/', 'hubbub/files/a1'], '1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=') }
  expect(await keysOf(store, 'f')).toEqual(['files/a1', 'files/a2'])
  expect(calls.map(({ query }) => [query.get('prefix'), query.get('continuation-token')])).toEqual([
    ['hubbub/f', null],
    ['hubbub/f', '1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM='],
  ])
  for await (const { size, modifiedAt } of store.list('files/a2'))
    expect([size, modifiedAt]).toEqual([434_234, new Date('2009-10-12T17:50:30Z')])
})

test('settings that only work together are asked for together, with all else that is half set', () => {
  const problemsOf = (environment: NodeJS.ProcessEnv) => {
    try {
      return readConfig(environment).s3
    } catch (error) {
      return error instanceof ConfigError ? error.problems : error
    }
  }
  expect(problemsOf({})).toBeNull()
  expect(problemsOf({ S3_BUCKET: 'files', LIVEKIT_URL: 'ws://host' })).toEqual([
    'LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET are set together',
    'S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are set together',
  ])
  expect(problemsOf({ S3_PREFIX: 'hubbub' })).toEqual([expect.stringContaining('need S3_BUCKET')])
  const aws = { S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
  const s3 = { region: 'us-east-1', bucket: 'files', accessKeyId: 'id', secretAccessKey: 'secret' }
  expect(problemsOf(aws)).toEqual({ ...s3, endpoint: null, prefix: '', forcePathStyle: false })
  const other = { ...aws, S3_ENDPOINT: 'https://minio:9000', S3_PREFIX: 'a/b/', S3_REGION: 'here' }
  expect(problemsOf(other)).toEqual({
    ...s3,
    ...{ endpoint: 'https://minio:9000', prefix: 'a/b/', region: 'here', forcePathStyle: true },
  })
  expect(problemsOf({ ...other, S3_FORCE_PATH_STYLE: 'false' })).toMatchObject({ forcePathStyle: false })
})
