import { join } from 'node:path'
import { createLocalObjectStore } from './local.ts'
import type { ObjectStore } from './object-store.ts'
import type { S3Settings } from './s3-client.ts'

export interface StoreSettings {
  dataDir: string
  /** The bucket that holds the objects; null for the data folder. */
  s3: S3Settings | null
}

/** Opens the object store that the settings name. Throws an operator's error when it cannot be used. */
export async function openObjectStore({ dataDir, s3 }: StoreSettings): Promise<ObjectStore> {
  if (s3 === null) return openFilesFolder(dataDir)
  // Only now: the client of S3 takes a third of a second to load.
  const { createS3ObjectStore } = await import('./s3.ts')
  return createS3ObjectStore(s3, join(dataDir, 'downloads'))
}

/** Opens the object store in the data folder. */
export function openFilesFolder(dataDir: string): Promise<ObjectStore> {
  return createLocalObjectStore(join(dataDir, 'files'))
}
