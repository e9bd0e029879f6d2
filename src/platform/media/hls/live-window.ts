import { createReadStream } from 'node:fs'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../log.ts'
import type { HlsAnswer } from '../engine.ts'
import type { Part } from '../mp4/fragmenter.ts'
import { renderLivePlaylist, segmentName, type ListedSegment } from './playlist.ts'

export type LiveWindowOptions = {
  folder: string
  windowSegments: number
  segmentSeconds: number
  partSeconds: number
  /** Where numbering continues after a restart, so that players see one playlist. */
  firstNumber: number
  log: Log
}

/** A place in the playlist a player waits for; part -1 stands for the whole segment. */
export type PlaylistPlace = { segment: number; part: number }

export type LiveWindow = {
  /** Media from here on belongs to this init segment; `time` is the wall clock of its first frame. */
  begin(init: Buffer, time: Date, discontinuity: boolean): void
  part(part: Part): void
  /** The parts since the last call make a segment of that many seconds. */
  segment(duration: number): void
  /** The playlist is complete. */
  end(): void
  /** Nobody waits any longer; what is there can still be read. */
  release(): void
  /** Playlist, init segment, segment or part by file name. Waits for what is due soon; null when there is none. */
  read(name: string, place: PlaylistPlace | null, carryQuery?: string): Promise<HlsAnswer | null>
  /** Resolves when everything handed over so far is on disk. */
  settled(): Promise<void>
}

type StoredSegment = ListedSegment & {
  initBytes: Buffer
  /** Its fragments while it is among the newest; later it is read from disk. */
  fragments: Buffer[]
}

/** Parts are listed, and bytes kept in memory, for this many newest segments. */
const freshSegments = 3
/** Files stay for this many segments after they left the playlist, for players that still read an older one. */
const graceSegments = 3
/** Players that wait for something are answered after this long at the latest. */
const longestWaitMs = 6_000

const mp4Type = 'video/mp4'
const playlistType = 'application/vnd.apple.mpegurl'
const immutable = 'max-age=600, immutable'

/** The sliding window of a live stream: newest segments in memory, older ones on disk, oldest deleted. */
export function createLiveWindow(options: LiveWindowOptions): LiveWindow {
  const { folder, firstNumber, log } = options
  const segments: StoredSegment[] = []
  const leaving: StoredSegment[] = []
  const waiters = new Set<() => void>()
  // After a restart the old count is unknown; there were never more discontinuities than segments.
  let discontinuitySequence = firstNumber
  let targetDuration = Math.round(options.segmentSeconds)
  let partTarget = options.partSeconds
  let ended = false
  let released = false
  let open: StoredSegment | null = null
  let nextNumber = firstNumber
  let work: Promise<unknown> = onDisk('made ready', () => mkdir(folder, { recursive: true }))

  async function onDisk(what: string, change: () => Promise<unknown>): Promise<void> {
    try {
      await change()
    } catch (error) {
      log.error({ err: error }, `live segments could not be ${what}`)
    }
  }

  function openAnother(init: string, initBytes: Buffer, time: Date, discontinuity: boolean): void {
    const number = nextNumber
    const empty = { duration: 0, independent: true, parts: [], fragments: [] }
    open = { number, init, initBytes, time, discontinuity, ...empty }
  }

  function wake(): void {
    for (const check of [...waiters]) check()
  }

  function slide(): void {
    for (const segment of segments.slice(0, -freshSegments)) {
      segment.parts = []
      segment.fragments = []
    }
    while (segments.length > options.windowSegments) {
      const gone = segments.shift()!
      if (gone.discontinuity) discontinuitySequence++
      leaving.push(gone)
    }
    while (leaving.length > graceSegments) {
      const file = join(folder, segmentName(leaving.shift()!.number))
      work = work.then(() => onDisk('deleted', () => rm(file, { force: true })))
    }
  }

  function has(place: PlaylistPlace): boolean {
    if (place.segment < nextNumber) return true
    return place.segment === nextNumber && place.part >= 0 && (open?.parts.length ?? 0) > place.part
  }

  function until(place: PlaylistPlace): Promise<void> {
    // Asking for the far future is answered at once.
    if (place.segment > nextNumber + 1) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(done, longestWaitMs)
      function done(): void {
        clearTimeout(timer)
        waiters.delete(check)
        resolve()
      }
      function check(): void {
        if (ended || released || has(place)) done()
      }
      waiters.add(check)
      check()
    })
  }

  function playlist(carryQuery?: string): HlsAnswer | null {
    if (segments.length === 0 || !open) return null
    const text = renderLivePlaylist(
      { targetDuration, partTarget, discontinuitySequence, segments, open, ended },
      carryQuery,
    )
    return { contentType: playlistType, cacheControl: 'no-cache', body: Buffer.from(text) }
  }

  function known(): StoredSegment[] {
    return open ? [...leaving, ...segments, open] : []
  }

  async function readSegment(number: number): Promise<HlsAnswer | null> {
    const segment = known().find((candidate) => candidate.number === number && candidate !== open)
    if (!segment) return null
    const answer = { contentType: mp4Type, cacheControl: immutable }
    if (segment.fragments.length > 0) return { ...answer, body: Buffer.concat(segment.fragments) }
    await work
    const file = join(folder, segmentName(number))
    const found = await stat(file).catch(() => null)
    return found && { ...answer, stream: createReadStream(file) }
  }

  async function readPart(number: number, part: number): Promise<HlsAnswer | null> {
    // The next part is announced before it exists, and asked for at once.
    if (number === nextNumber && part === open?.parts.length) await until({ segment: number, part })
    const bytes = known().find((segment) => segment.number === number)?.fragments[part]
    return bytes ? { contentType: mp4Type, cacheControl: immutable, body: bytes } : null
  }

  return {
    begin(init, time, discontinuity) {
      openAnother(`init-${nextNumber}.mp4`, init, time, discontinuity)
    },
    part(part) {
      if (!open) return
      if (open.fragments.length === 0) open.independent = part.independent
      open.fragments.push(part.bytes)
      open.parts.push({ duration: part.duration, independent: part.independent })
      partTarget = Math.max(partTarget, part.duration)
      wake()
    },
    segment(duration) {
      if (!open) return
      const segment = open
      segment.duration = duration
      targetDuration = Math.max(targetDuration, Math.round(duration))
      segments.push(segment)
      nextNumber++
      const bytes = Buffer.concat(segment.fragments)
      const file = join(folder, segmentName(segment.number))
      work = work.then(() => onDisk('written', () => writeFile(file, bytes)))
      const time = new Date(segment.time.getTime() + duration * 1000)
      openAnother(segment.init, segment.initBytes, time, false)
      slide()
      wake()
    },
    end() {
      ended = true
      wake()
    },
    release() {
      released = true
      wake()
    },
    async read(name, place, carryQuery) {
      if (name === 'index.m3u8') {
        if (place) await until(place)
        // The first segment is on its way: a short wait is better than telling a player there is nothing.
        else if (segments.length === 0) await until({ segment: firstNumber, part: -1 })
        return playlist(carryQuery)
      }
      const [, kind, number, part] =
        /^(init|segment|part)-(\d{1,10})(?:-(\d{1,6}))?\.(?:mp4|m4s)$/.exec(name) ?? []
      if (kind === 'init') {
        const bytes = known().find((segment) => segment.init === name)?.initBytes
        return bytes ? { contentType: mp4Type, cacheControl: immutable, body: bytes } : null
      }
      if (kind === 'segment') return readSegment(Number(number))
      return kind === 'part' ? readPart(Number(number), Number(part)) : null
    },
    async settled() {
      await work
    },
  }
}
