import type { StreamMedia } from './actions.ts'
import type { RecordedFacts, RecordedFile } from './life-cycle.ts'
import type { StoredRecording } from './recording-store.ts'

/**
 * Whose live media the engine carries: video streams, and what other slices hand in. The engine knows no records, a
 * source no media. Ids are the source's own; a key never tells more than the source itself decides.
 */
export interface LiveSource {
  /** First part of every address: `rtmp://host/{app}/{id}`, `http://host/{app}/{id}/index.m3u8`. */
  app: string
  /** Whether a picture of the end is kept beside the recording. */
  keepsPicture?: boolean
  /** Whether an encoder may publish with this key; answers why not, in words the encoder shows. */
  mayPublish(id: string, key: string | undefined): Promise<{ streamId: string } | { refuse: string }>
  /** What a player must present; `missing` when there is nothing to watch. */
  needed(id: string): Promise<'missing' | 'signature' | 'nothing'>
  /** Whether a viewer (internal id) is shut out. */
  isBanned(id: string, viewerId: string): Promise<boolean>
  /** Media flows, for the first time or again. Answers whether it is wanted at all. */
  lives(id: string): Promise<boolean>
  /** The encoder went away; it has the grace period to come back. */
  interrupted?(id: string): Promise<void>
  /** The encoder sent something else than H.264 and AAC and was sent away. */
  refused?(id: string): Promise<void>
  /** The media is over for good. */
  over(media: StreamMedia, id: string): Promise<void>
  /** The files of a recording are in the object store. Answers false when nobody wants them any more. */
  recorded(id: string, files: RecordedFile[], facts: RecordedFacts): Promise<boolean>
  findRecording(id: string, name: string): Promise<StoredRecording | undefined>
  /** Notes that this server carries these; answers those that it must ask about again, as they are not live. */
  touch(ids: string[], at: Date): Promise<string[]>
  /** What is live by the records, but no server has spoken of since. */
  findSilent(since: Date): Promise<string[]>
  /** Of what ended here, that whose recording is still to be kept. */
  findUnrecorded(ids: string[]): Promise<Set<string>>
  /** Looks after what only this source knows of; called every few seconds. */
  watch?(media: StreamMedia, at: Date): Promise<void>
}

/** The name under which the engine carries something of a source; those of streams are their ids. */
export function carriedName(source: Pick<LiveSource, 'app'>, id: string): string {
  return source.app === 'live' ? id : `${source.app}-${id}`
}

/** What the engine carries under a name. */
export function carriedBy(
  sources: readonly LiveSource[],
  name: string,
): { source: LiveSource; id: string } | null {
  const split = name.lastIndexOf('-')
  const app = split < 0 ? 'live' : name.slice(0, split)
  const source = sources.find((one) => one.app === app)
  return source ? { source, id: name.slice(split + 1) } : null
}
