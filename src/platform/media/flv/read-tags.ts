import { open } from 'node:fs/promises'
import { flvFileHeaderBytes, tagHeaderBytes, tagTrailerBytes } from './tag.ts'

/** A tag as it stands in a file. */
export type StoredTag = { offset: number; type: number; timestamp: number; bytes: Buffer }

const blockBytes = 1024 * 1024
/** Larger tags are never written by us; a larger size means the file is damaged there. */
const maxTagBytes = 16 * 1024 * 1024

/**
 * Reads the whole tags of an FLV file in batches, from `offset` (the first tag by default).
 * Stops in front of a tag that is cut off or damaged; the end of the last batch is where good data ends.
 */
export async function* readTags(path: string, offset = flvFileHeaderBytes): AsyncGenerator<StoredTag[]> {
  const file = await open(path, 'r')
  try {
    let rest: Buffer = Buffer.alloc(0)
    let position = offset
    for (;;) {
      const block = Buffer.allocUnsafe(blockBytes)
      const { bytesRead } = await file.read(block, 0, blockBytes, position + rest.length)
      if (bytesRead === 0) return
      const data = Buffer.concat([rest, block.subarray(0, bytesRead)])
      const { tags, used, damaged } = splitTags(data, position)
      if (tags.length > 0) yield tags
      if (damaged) return
      position += used
      rest = data.subarray(used)
    }
  } finally {
    await file.close()
  }
}

function splitTags(data: Buffer, position: number): { tags: StoredTag[]; used: number; damaged: boolean } {
  const tags: StoredTag[] = []
  let used = 0
  while (data.length - used >= tagHeaderBytes) {
    const type = data[used]!
    const size = data.readUIntBE(used + 1, 3)
    if ((type !== 8 && type !== 9 && type !== 18) || size > maxTagBytes) return { tags, used, damaged: true }
    const end = used + tagHeaderBytes + size + tagTrailerBytes
    if (end > data.length) break
    if (data.readUInt32BE(end - tagTrailerBytes) !== size + tagHeaderBytes)
      return { tags, used, damaged: true }
    const timestamp = data.readUIntBE(used + 4, 3) + data[used + 7]! * 0x1000000
    tags.push({ offset: position + used, type, timestamp, bytes: data.subarray(used, end) })
    used = end
  }
  return { tags, used, damaged: false }
}
