import { lru } from 'tiny-lru'
import { elapsed, now } from '../../platform/clock.ts'
import type { QuerySigner } from '../../platform/tokens/signed-query.ts'
import { carriedBy, type LiveSources } from './source.ts'

type Query = Record<string, string | undefined>
export type Verdict = 'allowed' | 'missing' | 'refused'

/** Decides who may watch by an address alone: players send no tokens. */
export interface Playback {
  judge(streamId: string, query: Query): Promise<Verdict>
  /** What was decided before is decided anew. */
  forget(): void
}

/** Players ask for a segment every second or two: what was read is used again for this long. */
const neededFreshMs = 2_000
/** Bans are told to every server, which then forgets what it read of them. */
const bannedFreshMs = 60_000
const remembered = 10_000

export function createPlayback(sources: LiveSources, signer: QuerySigner): Playback {
  const needed = remember((name: string) => {
    const { source, id } = carriedBy(sources, name)
    return source.needed(id)
  }, neededFreshMs)
  const banned = remember((key: string) => {
    const [name = '', viewerId = ''] = key.split(' ')
    const { source, id } = carriedBy(sources, name)
    return source.isBanned(id, viewerId)
  }, bannedFreshMs)
  return {
    async judge(streamId, query) {
      const need = await needed.read(streamId)
      if (need === 'missing') return 'missing'
      if (need === 'nothing') return 'allowed'
      const viewerId = signer.verify(carriedBy(sources, streamId).id, query, now())
      if (viewerId === null) return 'refused'
      return (await banned.read(`${streamId} ${viewerId}`)) ? 'refused' : 'allowed'
    },
    forget() {
      needed.forget()
      banned.forget()
    },
  }
}

interface Memory<T> {
  read(key: string): Promise<T>
  /** Forgets all: it is rarely said that something changed, and soon read again. */
  forget(): void
}

function remember<T>(read: (key: string) => Promise<T>, freshMs: number): Memory<T> {
  const known = lru<{ at: number; value: Promise<T> }>(remembered)
  return {
    read(key) {
      const found = known.get(key)
      if (found && elapsed() - found.at < freshMs) return found.value
      const value = read(key)
      known.set(key, { at: elapsed(), value })
      value.catch(() => known.delete(key))
      return value
    },
    forget: () => known.clear(),
  }
}

/** The part of a query that opens a stream, to be put behind every address of a playlist. */
export function carriedQuery({ viewer, expires, signature }: Query): string {
  return signature === undefined
    ? ''
    : `viewer=${viewer ?? ''}&expires=${expires ?? ''}&signature=${signature}`
}

/** Puts a query behind the addresses of a recorded playlist. */
export function signPlaylist(text: string, query: string): string {
  if (query === '') return text
  return text
    .replaceAll(/URI="([^"]+)"/g, (_whole, uri: string) => `URI="${uri}?${query}"`)
    .replaceAll(/^(?!#)(\S+)$/gm, (uri) => `${uri}?${query}`)
}
