import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { freePorts } from '../harness/free-ports.ts'

export const accessKeyId = 'hubbub'
export const secretAccessKey = 'a-secret-of-the-tests'
export const bucket = 'hubbub-files'

/** A real S3 server on a folder of its own, with one empty bucket. */
export interface TestS3 {
  endpoint: string
  /** A client of its own, to look behind the store. */
  client: S3Client
  close(): Promise<void>
}

export async function startVersitygw(): Promise<TestS3> {
  const folder = await mkdtemp(join(tmpdir(), 'versitygw-'))
  const [port] = await freePorts(1)
  const endpoint = `http://127.0.0.1:${port}`
  await mkdir(join(folder, 'buckets'))
  const keys = ['--access', accessKeyId, '--secret', secretAccessKey]
  // What it needs to remember of objects goes beside them: not every file system has extended attributes.
  await mkdir(join(folder, 'sidecar'))
  const backend = ['posix', '--sidecar', join(folder, 'sidecar'), join(folder, 'buckets')]
  const child = spawn('versitygw', ['--quiet', '--port', `127.0.0.1:${port}`, ...keys, ...backend], {
    stdio: 'ignore',
  })
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })
  await eventually(() => fetch(endpoint).then(() => true, () => false)) // prettier-ignore
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    endpoint,
    client,
    async close() {
      client.destroy()
      if (child.kill()) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
