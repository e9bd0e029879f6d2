import { rm } from 'node:fs/promises'
import type { LiveStreamOptions } from '../live-stream.ts'
import { repairFlv } from './repair.ts'
import type { StreamFolder } from './stream-folder.ts'

/**
 * Makes a stream of a former process ready to be continued: cuts a torn end off its recording and notes what may be
 * missing. Null when it had ended already; a folder in which nothing had begun is removed.
 */
export async function recoverStream(folder: StreamFolder): Promise<LiveStreamOptions['resumed'] | null> {
  const state = await folder.load()
  if (!state) {
    await folder.remove()
    return null
  }
  if (state.stopTime) {
    await rm(folder.live, { recursive: true, force: true })
    return null
  }
  const repaired = await repairFlv(folder.source, state.checkpoint)
  const missing = [...state.missing]
  if (!state.suspended) missing.push('The server stopped unexpectedly; media not yet on disk is missing.')
  if (repaired.cut > 0) missing.push(`${repaired.cut} bytes of a torn frame at the end were cut off.`)
  const next = { ...state, missing, suspended: false }
  await folder.save(next)
  return { state: next, lastTimestamp: repaired.last, firstSegment: await folder.resetLive() }
}
