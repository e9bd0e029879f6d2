import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../typed-error.ts'
import type { StopReason } from '../engine.ts'
import type { Checkpoint } from './recorder.ts'

/** What must survive the process about a stream; kept beside its recording. */
export type StreamState = {
  /** ISO 8601, as all times here. */
  startTime: string
  stopTime?: string
  reason?: StopReason
  /** Why media may be missing from the recording. */
  missing: string[]
  /** The server was shut down in order while the stream waited to be continued. */
  suspended?: boolean
  checkpoint?: Checkpoint
}

/** Where the files of a stream are. */
export type StreamFolder = {
  root: string
  /** The tags as they came: what every recording is made of. */
  source: string
  live: string
  recordings: string
  load(): Promise<StreamState | null>
  /** Replaces the state in one step; calls are carried out in order. */
  save(state: StreamState): Promise<void>
  /** First number for live segments that none has had before; removes what is left of a former process. */
  resetLive(): Promise<number>
  remove(): Promise<void>
}

/** Ids become folder names, so only plain ones are taken. */
export function isStreamId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(id)
}

/** The files of one stream below the server's folder. */
export function streamFolder(base: string, streamId: string): StreamFolder {
  if (!isStreamId(streamId)) throw new Error('not a usable stream id')
  const root = join(base, streamId)
  const state = join(root, 'state.json')
  const live = join(root, 'live')
  let saving: Promise<void> = Promise.resolve()

  async function write(value: StreamState): Promise<void> {
    await mkdir(root, { recursive: true })
    await writeFile(`${state}.new`, JSON.stringify(value))
    await rename(`${state}.new`, state)
  }

  return {
    root,
    source: join(root, 'source.flv'),
    live,
    recordings: join(root, 'recordings'),
    async load() {
      const text = await readFile(state, 'utf8').catch(ignoreMissing)
      return text === null ? null : (JSON.parse(text) as StreamState)
    },
    save(value) {
      saving = saving.catch(() => undefined).then(() => write(value))
      return saving
    },
    async resetLive() {
      const names = (await readdir(live).catch(ignoreMissing)) ?? []
      const numbers = names.map((name) => Number(/^segment-(\d+)\./.exec(name)?.[1] ?? -1))
      await rm(live, { recursive: true, force: true })
      // The segment after the newest may have been shown in parts.
      return numbers.length > 0 ? Math.max(...numbers) + 2 : 0
    },
    async remove() {
      await saving.catch(() => undefined)
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Ids of all streams with files in the folder. */
export async function listStreams(base: string): Promise<string[]> {
  await mkdir(base, { recursive: true })
  const entries = await readdir(base, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() && isStreamId(entry.name)).map((entry) => entry.name)
}

function ignoreMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null
  throw error
}
