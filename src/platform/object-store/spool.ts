import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { now } from '../clock.ts'
import { newId } from '../ids.ts'
import type { StoredObject } from './object-store.ts'
import type { BodyLimits } from './read-body.ts'
import { writeBody } from './write-body.ts'

// Longer than any upload may stall: what was last written a day ago was left by a crash.
const staleMs = 24 * 60 * 60 * 1000

/** A received body as a local file, to be inspected or changed before it is stored. */
export type SpooledBody = StoredObject & {
  path: string
  /** Removes the file; fine after it was moved away. */
  discard(): Promise<void>
}

/** A folder for bodies that are not stored yet. */
export type Spool = {
  /** Receives a whole stream. Errors: `tooLarge`, `storageFull`, `aborted`; then nothing is left behind. */
  receive(body: Readable, limits: BodyLimits): Promise<SpooledBody>
}

/** Opens a spool folder, making it if absent, and clears what an earlier crash left in it. */
export async function openSpool(folder: string): Promise<Spool> {
  await mkdir(folder, { recursive: true })
  await removeStale(folder)
  return {
    async receive(body, limits) {
      const path = join(folder, newId())
      const discard = () => rm(path, { force: true })
      // A sender that goes away before reading has begun must not raise an unheard 'error' event.
      body.on('error', () => undefined)
      try {
        const file = await open(path, 'wx', 0o640)
        try {
          return { path, discard, ...(await writeBody(body, file, limits)) }
        } finally {
          await file.close()
        }
      } catch (error) {
        // Read to its end and thrown away: its sender is then free to hear the answer.
        body.resume()
        await discard()
        throw error
      }
    },
  }
}

async function removeStale(folder: string): Promise<void> {
  const oldest = now().getTime() - staleMs
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found?.isFile() && found.mtimeMs < oldest) await rm(path, { force: true })
  }
}
