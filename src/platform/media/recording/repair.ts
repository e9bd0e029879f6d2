import { stat, truncate } from 'node:fs/promises'
import { errorCode } from '../../typed-error.ts'
import { readTags } from '../flv/read-tags.ts'
import { flvFileHeaderBytes } from '../flv/tag.ts'
import type { Checkpoint } from './recorder.ts'

/** What a source recording holds after its torn end was cut off. */
export type Repaired = {
  /** Bytes left; 0 when there was no usable file at all. */
  bytes: number
  /** Bytes that had to go. */
  cut: number
  /** Newest timestamp in milliseconds, -1 without any media. */
  last: number
}

/** Cuts an FLV file after its last whole tag. A checkpoint known to be good spares reading what is before it. */
export async function repairFlv(path: string, checkpoint?: Checkpoint): Promise<Repaired> {
  const size = await sizeOf(path)
  if (size < flvFileHeaderBytes) {
    if (size > 0) await truncate(path, 0)
    return { bytes: 0, cut: size, last: -1 }
  }
  const from =
    checkpoint && checkpoint.bytes >= flvFileHeaderBytes && checkpoint.bytes <= size ? checkpoint : null
  let bytes = from?.bytes ?? flvFileHeaderBytes
  let last = from?.timestamp ?? -1
  for await (const tags of readTags(path, bytes)) {
    for (const tag of tags) {
      bytes = tag.offset + tag.bytes.length
      last = Math.max(last, tag.timestamp)
    }
  }
  if (bytes < size) await truncate(path, bytes)
  return { bytes, cut: size - bytes, last }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0
    throw error
  }
}
