import type { Db } from '../../kernel/database.ts'
import { mayPublish, streamLives, streamOver, streamRecordedAs } from './life-cycle.ts'
import { needsSignature } from './policy.ts'
import { findRecording } from './recording-store.ts'
import { arePagesPrivate } from '../places/index.ts'
import type { LiveSource } from './source.ts'
import { findPlayback, findSilent, findUnrecorded, touchStreams } from './store.ts'
import { findBannedFrom } from './viewer-store.ts'

/** Video streams as the media engine knows them. */
export function createStreamSource(db: Db): LiveSource {
  return {
    prefix: '',
    mayPublish: (id, key) => mayPublish(db, id, key),
    async needed(id) {
      const stream = await findPlayback(db, id)
      if (!stream || stream.isDeleted) return 'missing'
      const pagesPrivate = stream.targetType === 'user' && (await arePagesPrivate(db))
      return needsSignature(stream, pagesPrivate) ? 'signature' : 'nothing'
    },
    isBanned: async (id, viewerId) => (await findBannedFrom(db, viewerId, [id])).size > 0,
    lives: (id) => streamLives(db, id),
    over: (id) => streamOver(db, id),
    recorded: (id, files, facts) => streamRecordedAs(db, id, files, facts),
    findRecording: (id, name) => findRecording(db, id, name),
    touch: (ids, at) => touchStreams(db, ids, at),
    findSilent: (since) => findSilent(db, since),
    findUnrecorded: (ids) => findUnrecorded(db, ids),
  }
}
