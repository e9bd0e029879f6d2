import { Readable } from 'node:stream'
import type { MediaEngine, Recording, RecordingFile } from '../../platform/media/engine.ts'
import type { Log } from '../../platform/log.ts'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import type { RecordedFile } from './life-cycle.ts'
import { carriedBy, type LiveSources } from './source.ts'

export interface RecordingKeeper {
  /** Makes and keeps the recordings of what the engine carried under this name. Harmless when they are kept. */
  keep(streamId: string): Promise<void>
}

/**
 * Moves recordings into the object store, then says so: bytes first, so that a record never points at nothing. After a
 * crash in between it is done again; what was moved before is found in the store.
 */
export function createRecordingKeeper(
  sources: LiveSources,
  engine: MediaEngine,
  store: ObjectStore,
  log: Log,
): RecordingKeeper {
  const keeping = new Map<string, Promise<void>>()

  async function move(streamId: string, file: RecordingFile): Promise<RecordedFile> {
    const objectKey = recordingKey(streamId, file.name)
    if (!(await store.stat(objectKey)))
      await store.putFile(objectKey, file.path, { contentType: file.contentType })
    const { name, kind, contentType, size } = file
    return { name, kind, contentType, size, objectKey, part: partOf(name) }
  }

  // Made of the last frames, which the engine holds for a while; after a crash there is none.
  async function keepPicture(streamId: string): Promise<RecordedFile[]> {
    const picture = await engine.thumbnail(streamId).catch(() => null)
    if (!picture) return []
    const objectKey = recordingKey(streamId, 'thumbnail.jpg')
    const contentType = 'image/jpeg'
    await store.put(objectKey, Readable.from([picture]), { contentType, maxBytes: picture.length })
    return [{ name: 'thumbnail.jpg', kind: 'picture', contentType, size: picture.length, objectKey, part: 1 }]
  }

  async function keep(streamId: string): Promise<void> {
    const recording = await engine.finishRecording(streamId)
    if (!recording) return
    const files: RecordedFile[] = []
    for (const file of recording.files) files.push(await move(streamId, file))
    const owner = carriedBy(sources, streamId)
    if (owner.source.keepsPicture) files.push(...(await keepPicture(streamId)))
    if (await owner.source.recorded(owner.id, files, factsOf(recording))) return
    log.info({ streamId }, 'a recording was made that nobody wants any more')
    // It was kept before, or its stream was deleted meanwhile: then nothing points at these files.
    for (const { name, objectKey } of files)
      if (!(await owner.source.findRecording(owner.id, name))) await store.delete(objectKey)
  }

  return {
    keep(streamId) {
      const running = keeping.get(streamId)
      if (running) return running
      const work = keep(streamId).finally(() => keeping.delete(streamId))
      keeping.set(streamId, work)
      return work
    },
  }
}

function recordingKey(streamId: string, name: string): string {
  return `recordings/${streamId}/${name}`
}

// The first part has no number: `recording.mp4`, `recording-2.mp4`.
function partOf(name: string): number {
  return Number(/-(\d+)\.\w+$/.exec(name)?.[1] ?? 1)
}

function factsOf({ duration, startTime, stopTime, missing }: Recording) {
  return { duration, startTime, stopTime, missing }
}
