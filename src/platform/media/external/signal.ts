import type { MediaRequest } from '../engine.ts'
import { splitQuery } from '../rtmp/status.ts'

/** What another media server tells or asks, whichever it is. */
export type MediaSignal = MediaRequest & {
  act: 'publish' | 'play' | 'unpublish' | 'alive' | 'recorded' | 'other'
  /** Path of a finished file, on that server's disk. */
  file: string
}

type Fields = Record<string, unknown>

// What each server calls what we look at: nginx-rtmp (`call`), SRS and MediaMTX (`action`).
const acts: Record<string, MediaSignal['act']> = {
  publish: 'publish',
  publish_done: 'unpublish',
  update_publish: 'alive',
  record_done: 'recorded',
  play: 'play',
  on_publish: 'publish',
  on_unpublish: 'unpublish',
  on_hls: 'alive',
  on_dvr: 'recorded',
  on_play: 'play',
  read: 'play',
  unpublish: 'unpublish',
  alive: 'alive',
  recorded: 'recorded',
}

/**
 * Reads a callback of nginx-rtmp (a form with `call`, `app`, `name` and the arguments of the address), SRS (JSON with
 * `action`, `app`, `stream`, `param`) or MediaMTX (JSON with `action`, `path`, `query`). What none of them says is read
 * as `other`.
 */
export function readSignal(body: unknown): MediaSignal {
  const fields: Fields = typeof body === 'object' && body !== null ? (body as Fields) : {}
  const text = (name: string): string => {
    const value = fields[name]
    return typeof value === 'string' ? value : ''
  }
  const place =
    text('stream') || text('name') ? `${text('app')}/${text('stream') || text('name')}` : text('path')
  const slash = place.lastIndexOf('/')
  const { name, query } = splitQuery(place.slice(slash + 1))
  const given = splitQuery(`?${(text('param') || text('query')).replace(/^\?/, '')}`).query
  const isForm = text('call') !== ''
  return {
    act: acts[text('call') || text('action')] ?? 'other',
    app: place.slice(0, Math.max(slash, 0)).replace(/^\/+/, ''),
    streamName: name,
    // In a form the arguments of the address stand beside what the server says itself.
    query: { ...(isForm && onlyTexts(fields)), ...query, ...given },
    remoteAddress: text('addr') || text('ip'),
    file: text('file') || (isForm ? text('path') : ''),
  }
}

function onlyTexts(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
