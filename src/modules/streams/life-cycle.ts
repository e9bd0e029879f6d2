import { now } from '../../platform/clock.ts'
import { inTransaction, type Db, type Tx } from '../../kernel/database.ts'
import { emit } from '../../kernel/outbox/emit.ts'
import { end } from './actions.ts'
import { audiencesOf } from './audience.ts'
import { streamRecorded, streamStarted } from './events.ts'
import { insertRecordings } from './recording-store.ts'
import { findStreamsById, lockStream, updateStreamRow, type StreamRow } from './store.ts'
import { isSameSecret } from '../../platform/tokens/signed-query.ts'

// What media servers say of streams. Nobody asks here: the key was checked when the encoder connected.

/** Whether an encoder may publish a stream with this key; answers why not, in words the encoder shows. */
export async function mayPublish(
  db: Db,
  streamId: string,
  key: string | undefined,
): Promise<{ streamId: string } | { refuse: string }> {
  const [stream] = await findStreamsById(db, [streamId])
  if (!stream || stream.isDeleted) return { refuse: 'There is no such stream.' }
  if (stream.status !== 'idle' && stream.status !== 'live') return { refuse: 'The stream has ended.' }
  if (stream.streamKey === null || key === undefined || !isSameSecret(key, stream.streamKey))
    return { refuse: 'The stream key is not valid.' }
  return { streamId }
}

/** The first media of a stream arrived, or media again. Answers whether the stream is wanted at all. */
export async function streamLives(db: Db, streamId: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const stream = await lockStream(tx, streamId)
    if (!stream || stream.isDeleted) return false
    if (stream.status === 'live') return true
    if (stream.status !== 'idle') return false
    const at = now()
    await updateStreamRow(tx, streamId, { status: 'live', startedAt: at, seenAt: at, updatedAt: at })
    await emit(tx, streamStarted, { actorId: stream.userId, subject: await subjectOf(tx, stream) })
    return true
  })
}

/** The media of a stream is over. */
export async function streamOver(db: Db, streamId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const stream = await lockStream(tx, streamId)
    if (stream) await end(tx, null, stream)
  })
}

/** A file of a finished recording, already in the object store. */
export interface RecordedFile {
  name: string
  kind: StreamRow['recordings'][number]['kind'] | 'picture'
  part: number
  objectKey: string
  contentType: string
  size: number
}

export interface RecordedFacts {
  /** Seconds of media. */
  duration: number
  startTime: Date
  stopTime: Date
  missing: string[]
}

/** The recordings of a stream are there. Answers false when nobody wants them any more. */
export async function streamRecordedAs(
  db: Db,
  streamId: string,
  files: RecordedFile[],
  facts: RecordedFacts,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const stream = await lockStream(tx, streamId)
    if (!stream || stream.isDeleted || stream.status !== 'ended') return false
    await insertRecordings(
      tx,
      files.map((file) => ({ streamId, ...file, ...facts })),
    )
    await updateStreamRow(tx, streamId, { status: 'recorded', updatedAt: now() })
    await emit(tx, streamRecorded, { actorId: null, subject: await subjectOf(tx, stream) })
    return true
  })
}

async function subjectOf(tx: Tx, stream: StreamRow) {
  return { id: stream.id, audiences: await audiencesOf(tx, stream) }
}
