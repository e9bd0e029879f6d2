import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { errorCode } from '../typed-error.ts'
import { objectStoreError } from './object-store.ts'
import type { StoredObject } from './object-store.ts'
import { readBody, type BodyLimits } from './read-body.ts'

/**
 * Writes a stream to an open file, counting and hashing, and syncs it to the disk.
 * Errors: `tooLarge`, `storageFull`, `aborted`. After an error the stream may hold more; the file stays open.
 */
export async function writeBody(body: Readable, file: FileHandle, limits: BodyLimits): Promise<StoredObject> {
  const stored = await readBody(body, limits, (chunk) => storing(file.writeFile(chunk)))
  await storing(file.sync())
  return stored
}

/** Makes new or renamed entries of a folder durable. Windows offers no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Passes a file-system promise on, with a used-up disk or quota as `storageFull`. */
export async function storing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(errorCode(error))) throw error
    throw objectStoreError('storageFull', 'no space left to store this', error)
  }
}
