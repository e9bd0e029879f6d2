import { box, fullBox, u32 } from './box.ts'
import { encodeMovieHeader, encodeTrack, trackIds, type TrackConfigs } from './track-box.ts'

/** `ftyp` and `moov` for fragments of these tracks (ISO 14496-12 and 23000-19). */
export function encodeInitSegment(tracks: TrackConfigs): Buffer {
  const empty = (type: string) => fullBox(type, 0, 0, u32(0))
  const tables = [empty('stts'), empty('stsc'), fullBox('stsz', 0, 0, u32(0, 0)), empty('stco')]
  const content = { mediaDuration: 0, movieDuration: 0, edits: [], tables }
  const kinds = (['video', 'audio'] as const).filter((kind) => tracks[kind])
  const traks = kinds.map((kind) => encodeTrack(kind, tracks, content))
  const trexes = kinds.map((kind) => fullBox('trex', 0, 0, u32(trackIds[kind], 1, 0, 0, 0)))
  return Buffer.concat([
    box('ftyp', Buffer.from('iso6'), u32(1), Buffer.from('iso6cmfcmp41')),
    box('moov', encodeMovieHeader(0), ...traks, box('mvex', ...trexes)),
  ])
}
