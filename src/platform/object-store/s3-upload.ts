import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { Readable } from 'node:stream'
import type { StoredObject } from './object-store.ts'
import { readBody, type BodyLimits } from './read-body.ts'

// One part is held while the one before it is sent. S3 takes 5 MiB or more, and 10,000 of them.
const minPartBytes = 8 * 2 ** 20
const maxParts = 10_000

// Putting the parts together may take a store minutes.
const completeMs = 300_000

export interface UploadTarget {
  Bucket: string
  Key: string
  ContentType: string
}

/**
 * Uploads a stream: in one request when it is short, else in parts that become an object all at once. Parts are of one
 * size, which some stores insist on. After an error nothing is left, unless the store is out of reach for the clearing up.
 */
export async function uploadBody(
  client: S3Client,
  target: UploadTarget,
  body: Readable,
  limits: BodyLimits,
): Promise<StoredObject> {
  const partBytes = Math.max(minPartBytes, Math.ceil(limits.maxBytes / maxParts))
  const parts = createParts(client, target)
  let held: Buffer[] = []
  let heldBytes = 0
  const takeHeld = () => {
    const part = Buffer.concat(held)
    held = []
    heldBytes = 0
    return part
  }
  try {
    const stored = await readBody(body, limits, async (chunk) => {
      for (let rest = chunk; rest.length > 0;) {
        if (heldBytes === partBytes) await parts.add(takeHeld())
        const piece = rest.subarray(0, partBytes - heldBytes)
        held.push(piece)
        heldBytes += piece.length
        rest = rest.subarray(piece.length)
      }
    })
    await parts.complete(takeHeld())
    return stored
  } catch (error) {
    await parts.abort()
    throw error
  }
}

/** The parts of one upload. The last comes with `complete`; when it is the only one, it is the whole object. */
function createParts(client: S3Client, { ContentType, ...object }: UploadTarget) {
  const sent: { PartNumber: number; ETag: string | undefined }[] = []
  let UploadId: string | undefined
  let sending: Promise<void> = Promise.resolve()

  async function add(part: Buffer): Promise<void> {
    await sending
    if (UploadId === undefined) {
      const created = await client.send(new CreateMultipartUploadCommand({ ...object, ContentType }))
      UploadId = created.UploadId
    }
    const PartNumber = sent.length + 1
    const request = new UploadPartCommand({ ...object, UploadId, PartNumber, Body: part })
    sending = client.send(request).then(({ ETag }) => void sent.push({ PartNumber, ETag }))
    // Heard at the next part, or at the end.
    sending.catch(() => undefined)
  }

  return {
    add,

    async complete(last: Buffer): Promise<void> {
      if (UploadId === undefined) {
        await client.send(new PutObjectCommand({ ...object, ContentType, Body: last }))
        return
      }
      await add(last)
      await sending
      const request = new CompleteMultipartUploadCommand({
        ...object,
        UploadId,
        MultipartUpload: { Parts: sent },
      })
      await client.send(request, { requestTimeout: completeMs })
    },

    async abort(): Promise<void> {
      await sending.catch(() => undefined)
      if (UploadId === undefined) return
      // Should this fail, the lifecycle rule of the bucket clears up.
      await client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => undefined)
    },
  }
}
