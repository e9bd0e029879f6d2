import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'

/** The file PostgreSQL writes to, through a descriptor it inherits. */
export interface ServerLog {
  path: string
  fd: number
  /** The end of the file now, to be given to `since`. */
  position(): number
  /** What was written after a position: its last lines, at most `lines`. */
  since(position: number, lines?: number): string
  close(): void
}

const tailBytes = 16_384

/**
 * Opens a log file for appending. Beyond `limit` bytes its content moves to `<path>.1`, so both together stay near
 * twice that. The check comes once a minute: PostgreSQL holds the file open, so it is copied and emptied in place.
 */
export function openServerLog(path: string, { limit = 8 << 20, everyMs = 60_000 } = {}): ServerLog {
  const fd = openSync(path, 'a+', 0o600)
  const size = () => fstatSync(fd).size
  const rotate = () => {
    if (size() <= limit) return
    try {
      copyFileSync(path, `${path}.1`)
      ftruncateSync(fd)
    } catch (error) {
      // A full disk, say. Serving goes on; the next round tries again.
      if (size() > 4 * limit) ftruncateSync(fd)
      writeSync(fd, `log not rotated: ${(error as Error).message}\n`)
    }
  }
  rotate()
  const timer = setInterval(rotate, everyMs).unref()
  return {
    path,
    fd,
    position: size,
    since(position, lines = 20) {
      const start = Math.max(position, size() - tailBytes)
      const buffer = Buffer.alloc(tailBytes)
      const length = readSync(fd, buffer, 0, tailBytes, start)
      return buffer.toString('utf8', 0, length).trimEnd().split('\n').slice(-lines).join('\n')
    },
    close() {
      clearInterval(timer)
      closeSync(fd)
    },
  }
}
