import { S3ServiceException } from '@aws-sdk/client-s3'
import { isObjectStoreError, objectStoreError } from './object-store.ts'

// AWS has no quota. These are of Ceph and Versity, of MinIO, and of stores that limit single objects.
const fullCodes = ['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'EntityTooLarge']

/** The error code a store answered with; '' when it did not answer. */
export function s3CodeOf(error: unknown): string {
  return error instanceof S3ServiceException ? error.name : ''
}

/** What went wrong at the store, in the words of the port. */
export function toStoreError(error: unknown): Error {
  if (isObjectStoreError(error)) return error
  const code = s3CodeOf(error)
  if (code === 'InvalidRange') return objectStoreError('badRange', 'no such bytes in the object', error)
  const isFull = error instanceof S3ServiceException && error.$metadata.httpStatusCode === 507
  if (isFull || fullCodes.includes(code))
    return objectStoreError('storageFull', `no space left to store this: ${code}`, error)
  const said = code ? `refused: ${code}` : `did not answer: ${(error as Error).message}`
  return objectStoreError('unavailable', `the S3 store ${said}`, error)
}

/** Passes an answer on; null where it says that there is no such object. Other errors in the words of the port. */
export async function orAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (['NoSuchKey', 'NotFound'].includes(s3CodeOf(error))) return null
    throw toStoreError(error)
  }
}
