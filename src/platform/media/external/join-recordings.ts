import { open, realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { readTags } from '../flv/read-tags.ts'
import { flvFileHeader } from '../flv/tag.ts'

/** Whether a path leads to a file below a folder, links followed. */
export async function isBelow(folder: string, path: string): Promise<boolean> {
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(path)])
    return file.startsWith(root + sep) && (await stat(file)).isFile()
  } catch {
    return false
  }
}

/**
 * Writes FLV files one behind the other into one, each going on where the last one stopped; a torn end is left out.
 * Answers whether there was any media.
 */
export async function joinRecordings(paths: string[], target: string): Promise<boolean> {
  const out = await open(target, 'w')
  let end = -1
  try {
    await out.appendFile(flvFileHeader({ audio: true, video: true }))
    for (const path of paths) {
      let shift: number | null = null
      let last = end
      for await (const tags of readTags(path)) {
        for (const tag of tags) {
          if (tag.type === 18 && end >= 0) continue
          shift ??= end < 0 ? 0 : end + frameMs - tag.timestamp
          const timestamp = Math.max(tag.timestamp + shift, 0)
          tag.bytes.writeUIntBE(timestamp & 0xffffff, 4, 3)
          tag.bytes[7] = (timestamp >>> 24) & 0xff
          await out.appendFile(tag.bytes)
          last = Math.max(last, timestamp)
        }
      }
      end = last
    }
    await out.sync()
  } finally {
    await out.close()
  }
  return end >= 0
}

const frameMs = 40
