// needs: versitygw
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/platform/ids.ts'
import { createS3ObjectStore } from '../../src/platform/object-store/s3.ts'
import { tryOut } from '../../src/platform/object-store/try-out.ts'
import { testObjectStore } from './contract.ts'
import { accessKeyId, bucket, secretAccessKey, startVersitygw, type TestS3 } from './versitygw.ts'

let s3: TestS3
let folder: string
beforeAll(async () => {
  s3 = await startVersitygw()
  folder = await mkdtemp(join(tmpdir(), 'hubbub-s3-'))
})
afterAll(async () => {
  await s3.close()
  await rm(folder, { recursive: true })
})

const settings = () => ({
  endpoint: s3.endpoint,
  region: 'us-east-1',
  bucket,
  accessKeyId,
  secretAccessKey,
  prefix: `${newId()}/`,
  forcePathStyle: true,
})

testObjectStore('a bucket of a real S3 server', async () => {
  const ours = settings()
  const downloads = join(folder, ours.prefix)
  const under = { Bucket: bucket, Prefix: ours.prefix }
  return {
    store: await createS3ObjectStore(ours, downloads),
    async count() {
      const objects = await s3.client.send(new ListObjectsV2Command(under))
      const uploads = await s3.client.send(new ListMultipartUploadsCommand(under))
      return (
        (objects.Contents ?? []).length + (uploads.Uploads ?? []).length + (await readdir(downloads)).length
      )
    },
    close: () => Promise.resolve(),
  }
})

test('a wrong key, secret, bucket or address is said when the store is opened', async () => {
  const open = (wrong: object) => createS3ObjectStore({ ...settings(), ...wrong }, folder)
  await expect(open({ accessKeyId: 'nobody' })).rejects.toThrow('S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY')
  await expect(open({ secretAccessKey: 'no' })).rejects.toThrow('S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY')
  await expect(open({ bucket: 'absent' })).rejects.toThrow('there is no bucket absent (S3_BUCKET)')
  const away = open({ endpoint: 'http://127.0.0.1:9' })
  await expect(away).rejects.toMatchObject({
    expected: true,
    message: expect.stringContaining('no S3 store answers at http'),
  })
  await tryOut(await open({ prefix: '' }))
})
