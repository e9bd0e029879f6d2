import type { Readable } from 'node:stream'
import { errorKind } from '../typed-error.ts'
import type { TypedError } from '../typed-error.ts'

/**
 * - `badKey`: the key breaks the grammar of `checkKey`.
 * - `badRange`: a range starts past the end of the object.
 * - `tooLarge`: the body went over `maxBytes`.
 * - `storageFull`: the disk or the quota is used up.
 * - `aborted`: the body ended early, because its sender went away or the caller aborted.
 * - `unavailable`: the store is out of reach or refuses us; something for the operator.
 */
export type ObjectStoreErrorCode =
  'badKey' | 'badRange' | 'tooLarge' | 'storageFull' | 'aborted' | 'unavailable'

const objectStoreErrors = errorKind<ObjectStoreErrorCode>('ObjectStoreError')
/** Makes an `ObjectStoreError`; for implementations of the port. */
export const objectStoreError = objectStoreErrors.make
/** Whether a caught value is an `ObjectStoreError`, with its `code`. */
export const isObjectStoreError: (value: unknown) => value is TypedError<ObjectStoreErrorCode> =
  objectStoreErrors.is

/** Size in bytes and lower-case hex SHA-256 of what was stored. */
export type StoredObject = { size: number; sha256: string }

/** Bytes `start` to `end`, both inclusive and counted from 0; `end` past the object means its last byte. */
export type ByteRange = { start: number; end?: number }

export type ObjectStat = { size: number; modifiedAt: Date }
export type ListedObject = ObjectStat & { key: string }

export type PutOptions = {
  /** Kept by S3, for whoever looks into the bucket; the local folder has no use for it. */
  contentType: string
  /** The body may be exactly this long, not one byte longer. */
  maxBytes: number
  signal?: AbortSignal
}

/**
 * Blobs by key. An object is whole or absent at every moment, also across a crash: `put` on an existing key
 * replaces it in one step, and readers that are under way finish with the old bytes.
 * No key is to be another one with `/...` behind it: some S3 stores keep objects in folders of a disk.
 * Errors are `ObjectStoreError` where the caller can do something about them, else the engine's own.
 */
export type ObjectStore = {
  /**
   * Stores the whole stream. On any error nothing is left behind and an earlier object is untouched; what is
   * left of the stream is read and thrown away, so that the sender of an upload can be answered.
   */
  put(key: string, body: Readable, options: PutOptions): Promise<StoredObject>
  /** Stores a local file by moving it: afterwards `path` is gone. For files that were inspected first. */
  putFile(key: string, path: string, options: { contentType: string }): Promise<StoredObject>
  /** Opens an object, `null` if absent. `size` is that of the whole object. Read the stream or destroy it. */
  get(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | null>
  stat(key: string): Promise<ObjectStat | null>
  /** Lends the object as a local file for tools that need one, read-only and only until `use` settles. */
  withFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T | null>
  /** Idempotent: deleting what is absent is fine. */
  delete(key: string): Promise<void>
  /** Every object whose key starts with `prefix` ('' for all), in no promised order, for sweeps. */
  list(prefix: string): AsyncIterable<ListedObject>
}

const maxKeyLength = 240
const segment = /^[a-z0-9]([a-z0-9._-]*[a-z0-9_-])?$/

/**
 * Whether this is a key: 2 or more segments joined by `/`, each of lower-case letters, digits and `. _ -`, beginning
 * with a letter or digit and not ending in a dot; at most 240 characters in all.
 * Such keys are the same on every file system and in every URL, and cannot climb out of a folder.
 */
export function isKey(key: string): boolean {
  const segments = key.split('/')
  return key.length <= maxKeyLength && segments.length > 1 && segments.every((each) => segment.test(each))
}

/** Throws `badKey` unless this is a key. */
export function checkKey(key: string): void {
  if (isKey(key)) return
  throw objectStoreError('badKey', `not an object key: ${JSON.stringify(key.slice(0, 300))}`)
}

/** Throws `badKey` unless some key can start with this. */
export function checkPrefix(prefix: string): void {
  if (/^([a-z0-9][a-z0-9._-]*(\/|$))*$/.test(prefix)) return
  throw objectStoreError('badKey', `not the start of an object key: ${JSON.stringify(prefix.slice(0, 300))}`)
}
