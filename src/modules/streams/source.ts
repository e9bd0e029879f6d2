import type { RecordedFacts, RecordedFile } from './life-cycle.ts'
import type { StoredRecording } from './recording-store.ts'

/**
 * Whose live media the engine carries: video streams, and what other slices hand in. The engine knows no records, a
 * source no media. Ids are the source's own; on the wire and in the engine its prefix stands before them.
 */
export interface LiveSource {
  /** Tells names of this source from those of others; empty for streams. */
  prefix: string
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
  over(id: string): Promise<void>
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
  watch?(at: Date): Promise<void>
}

/** The sources of a server; that of streams is always among them. */
export type LiveSources = readonly [LiveSource, ...LiveSource[]]

/** What the engine carries under a name: of no other source's prefix means a stream. */
export function carriedBy(
  [streams, ...others]: LiveSources,
  name: string,
): { source: LiveSource; id: string } {
  const source = others.find((one) => name.startsWith(one.prefix)) ?? streams
  return { source, id: name.slice(source.prefix.length) }
}
