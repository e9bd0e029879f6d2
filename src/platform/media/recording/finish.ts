import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Recording, RecordingFile } from '../engine.ts'
import type { BuildRequest, BuiltRecording } from './build.ts'
import type { StreamFolder, StreamState } from './stream-folder.ts'

const contentTypes: Record<RecordingFile['kind'], string> = {
  flv: 'video/x-flv',
  mp4: 'video/mp4',
  m3u8: 'application/vnd.apple.mpegurl',
  segments: 'video/mp4',
}

/**
 * Makes the recordings of an ended stream in a thread of their own and describes them. The result is kept, so that
 * calling again costs nothing. Null when the stream still runs, is unknown, or brought no media.
 */
export async function finishRecording(streamId: string, folder: StreamFolder): Promise<Recording | null> {
  const state = await folder.load()
  if (!state?.stopTime) return null
  const kept = join(folder.recordings, 'recording.json')
  const text = await readFile(kept, 'utf8').catch(() => null)
  if (text !== null) return revive(JSON.parse(text) as Recording)
  if ((await stat(folder.source).catch(() => null)) === null) return null
  const built = await buildInThread({ source: folder.source, target: folder.recordings })
  if (!built) return null
  const recording = await describe(streamId, folder, state, state.stopTime, built)
  await writeFile(`${kept}.new`, JSON.stringify(recording))
  await rename(`${kept}.new`, kept)
  // The FLV recording holds every frame of it.
  await rm(folder.source, { force: true })
  return recording
}

function buildInThread(request: BuildRequest): Promise<BuiltRecording> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./start-recording-worker.js', import.meta.url), {
      execArgv: [],
      workerData: request,
    })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the recording thread ended with ${code}`)))
  })
}

async function describe(
  streamId: string,
  folder: StreamFolder,
  state: StreamState,
  stopTime: string,
  built: NonNullable<BuiltRecording>,
): Promise<Recording> {
  const names: [RecordingFile['kind'], string[]][] = [
    ['flv', [built.flv]],
    ['mp4', built.mp4],
    ['m3u8', [built.m3u8]],
    ['segments', built.segments],
  ]
  const files: RecordingFile[] = []
  for (const [kind, list] of names) {
    for (const name of list) {
      const path = join(folder.recordings, name)
      files.push({ kind, path, name, contentType: contentTypes[kind], size: (await stat(path)).size })
    }
  }
  return {
    streamId,
    startTime: new Date(state.startTime),
    stopTime: new Date(stopTime),
    duration: built.duration,
    partial: state.missing.length > 0,
    missing: state.missing,
    parts: built.parts,
    files,
  }
}

/** Dates come back from JSON as text. */
function revive(recording: Recording): Recording {
  return { ...recording, startTime: new Date(recording.startTime), stopTime: new Date(recording.stopTime) }
}
