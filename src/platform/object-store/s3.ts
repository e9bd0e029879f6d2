import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { checkKey, checkPrefix, isKey, isObjectStoreError, objectStoreError } from './object-store.ts'
import type { ByteRange, ListedObject, ObjectStore, StoredObject } from './object-store.ts'
import { checkBucket, createS3Client, type S3Settings } from './s3-client.ts'
import { orAbsent, toStoreError } from './s3-errors.ts'
import { uploadBody } from './s3-upload.ts'
import { openSpool } from './spool.ts'
import type { BodyLimits } from './read-body.ts'

/**
 * Opens an object store in a bucket of any S3-compatible store. `downloads` is a local folder for objects while they
 * are lent as files. Throws an operator's error when the bucket cannot be reached with these settings.
 */
export async function createS3ObjectStore(settings: S3Settings, downloads: string): Promise<ObjectStore> {
  const client = createS3Client(settings)
  await checkBucket(client, settings)
  const lent = await openSpool(downloads)
  const { bucket: Bucket, prefix: root } = settings

  const find = (key: string) => {
    checkKey(key)
    return { Bucket, Key: root + key }
  }

  async function store(
    key: string,
    body: Readable,
    { contentType, ...limits }: BodyLimits & { contentType: string },
  ): Promise<StoredObject> {
    // A sender that goes away before reading has begun must not raise an unheard 'error' event.
    body.on('error', () => undefined)
    try {
      return await uploadBody(client, { ...find(key), ContentType: contentType }, body, limits)
    } catch (error) {
      // Read to its end and thrown away: its sender is then free to hear the answer.
      body.resume()
      throw toStoreError(error)
    }
  }

  async function get(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | null> {
    const object = find(key)
    const found = await orAbsent(client.send(new GetObjectCommand({ ...object, ...rangeHeader(range) })))
    if (found === null) return null
    const stream = found.Body as Readable
    const size = range ? Number(found.ContentRange?.split('/')[1]) : Number(found.ContentLength)
    if (Number.isSafeInteger(size)) return { stream, size }
    stream.destroy()
    throw objectStoreError('unavailable', 'the S3 store does not say how long an object is')
  }

  return {
    put: store,

    async putFile(key, path, { contentType }) {
      checkKey(key)
      const file = await open(path, 'r')
      const { size } = await file.stat()
      const body = file.createReadStream({ highWaterMark: 2 ** 20 })
      try {
        const stored = await store(key, body, { contentType, maxBytes: size })
        await rm(path, { force: true })
        return stored
      } finally {
        body.destroy()
      }
    },

    get,

    async stat(key) {
      const found = await orAbsent(client.send(new HeadObjectCommand(find(key))))
      return found && { size: found.ContentLength!, modifiedAt: found.LastModified! }
    },

    async withFile(key, use) {
      const found = await get(key)
      if (found === null) return null
      const file = await lent.receive(found.stream, { maxBytes: found.size }).catch((error: unknown) => {
        // Here it is the store that went away in the middle, not who sent an upload.
        throw isObjectStoreError(error) && error.code === 'aborted' ? toStoreError(error.cause) : error
      })
      try {
        return await use(file.path)
      } finally {
        await file.discard()
      }
    },

    async delete(key) {
      await orAbsent(client.send(new DeleteObjectCommand(find(key))))
    },

    async *list(prefix) {
      checkPrefix(prefix)
      let token: string | undefined
      do {
        const query = { Bucket, Prefix: root + prefix, ContinuationToken: token }
        const page = await client.send(new ListObjectsV2Command(query)).catch((error: unknown) => {
          throw toStoreError(error)
        })
        for (const { Key = '', Size, LastModified } of page.Contents ?? []) {
          const key = Key.slice(root.length)
          // What others keep in the bucket is none of ours.
          if (isKey(key)) yield { key, size: Size!, modifiedAt: LastModified! } satisfies ListedObject
        }
        token = page.IsTruncated ? page.NextContinuationToken : undefined
      } while (token !== undefined)
    },
  }
}

function rangeHeader(range: ByteRange | undefined): { Range?: string } {
  if (range === undefined) return {}
  const { start, end = Infinity } = range
  if (!(start >= 0 && end >= start)) throw objectStoreError('badRange', `no bytes from ${start} to ${end}`)
  return { Range: `bytes=${start}-${end === Infinity ? '' : end}` }
}
