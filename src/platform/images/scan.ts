import type { FileHandle } from 'node:fs/promises'

const chunkBytes = 1 << 20

/** Every place in a file where `needle` begins, in order, at most `limit` of them; reads 1 MiB at a time. */
export async function findAll(file: FileHandle, needle: Buffer, limit = 1000): Promise<number[]> {
  const places: number[] = []
  if (needle.length === 0) return places
  const overlap = needle.length - 1
  let window = Buffer.alloc(0)
  for (let at = 0; places.length < limit;) {
    const read = await readAt(file, at + window.length, chunkBytes)
    if (read.length === 0) break
    window = Buffer.concat([window, read])
    for (let hit = window.indexOf(needle); hit >= 0 && places.length < limit;) {
      places.push(at + hit)
      hit = window.indexOf(needle, hit + 1)
    }
    const kept = Math.min(overlap, window.length)
    at += window.length - kept
    window = window.subarray(window.length - kept)
  }
  return places
}

/** Up to `length` bytes from `position`; fewer only at the end of the file. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
